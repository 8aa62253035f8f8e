/** Settings and limits of each chat service to which reports can be sent. */
export const chatServices = {
  slack: { name: 'Slack', hosts: [], hasSecret: true, hasPicture: true },
  teams: { name: 'Teams', hosts: [], hasSecret: true, hasPicture: true },
  feishu: {
    name: 'Feishu',
    hosts: ['open.feishu.cn', 'open.larksuite.com'],
    hasSecret: true,
    hasPicture: false,
  },
  dingtalk: { name: 'DingTalk', hosts: ['oapi.dingtalk.com'], hasSecret: true, hasPicture: true },
  wecom: { name: 'WeCom', hosts: ['qyapi.weixin.qq.com'], hasSecret: false, hasPicture: false },
} satisfies Record<string, ChatService>

interface ChatService {
  readonly name: string
  /** Host names of a chat service that answers HTTP 200 even to a malformed message. */
  readonly hosts: readonly string[]
  /** Whether a secret can be set. For WeCom bots the address itself is the secret. */
  readonly hasSecret: boolean
  /** Whether the chat can show a picture by its URL, without an upload. */
  readonly hasPicture: boolean
}

export type ChatStyle = keyof typeof chatServices

export const chatStyles = Object.keys(chatServices) as ChatStyle[]

/** Returns the chat of a style, or undefined for `json`. */
export function chatOf(style: 'json' | ChatStyle): ChatService | undefined {
  return style === 'json' ? undefined : chatServices[style]
}
