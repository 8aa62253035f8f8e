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
  /** Hosts for detecting an address with the wrong style. Empty if the service itself rejects wrong formats. */
  readonly hosts: readonly string[]
  /** Whether messages can be signed with a secret. The address of a WeCom bot is its only secret. */
  readonly hasSecret: boolean
  /** Whether messages can show a picture from a URL. */
  readonly hasPicture: boolean
}

export type ChatStyle = keyof typeof chatServices

export const chatStyles = Object.keys(chatServices) as ChatStyle[]

export function chatOf(style: 'json' | ChatStyle): ChatService | undefined {
  return style === 'json' ? undefined : chatServices[style]
}
