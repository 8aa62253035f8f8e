import { messageIn, type WebhookReport } from './chat/card.ts'
import { dingtalk } from './chat/dingtalk-card.ts'
import { feishu } from './chat/feishu-card.ts'
import { slack } from './chat/slack-card.ts'
import { teams } from './chat/teams-card.ts'
import { wecom } from './chat/wecom-card.ts'

const shapes = {
  json: ({ summary, now, path, link, picture }: WebhookReport): object => ({
    event: 'report',
    delivered_at: new Date(now).toISOString(),
    ...summary,
    path,
    link,
    picture,
  }),
  slack: messageIn(slack),
  teams: messageIn(teams),
  feishu: messageIn(feishu),
  dingtalk: messageIn(dingtalk),
  wecom: messageIn(wecom),
} as const

/** Format of a webhook message: JSON for programs, or the format of a chat service. */
export type WebhookStyle = keyof typeof shapes

/** Text from incidents is never sent as markup. */
export function toWebhook(report: WebhookReport, style: WebhookStyle): string {
  return JSON.stringify(shapes[style](report))
}
