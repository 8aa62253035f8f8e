/** Chats that reports are sent to, as far as their configuration goes. */
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

/** A chat. */
interface ChatService {
  readonly name: string
  /** Where its addresses are, of those that answer a message in a wrong shape with HTTP 200. */
  readonly hosts: readonly string[]
  /** Whether a secret may be set: WeCom's bots have no signature, their address is the secret. */
  readonly hasSecret: boolean
  /** Whether it shows a picture by its address, and not only one that was uploaded. */
  readonly hasPicture: boolean
}

/** The name of a chat in configuration. */
export type ChatStyle = keyof typeof chatServices

/** The names of all chats. */
export const chatStyles = Object.keys(chatServices) as ChatStyle[]

/** What is known of a style's chat; undefined for `json`. */
export function chatOf(style: 'json' | ChatStyle): ChatService | undefined {
  return style === 'json' ? undefined : chatServices[style]
}
