import { defaultSettings, type Settings } from '../../src/settings/settings.ts'

/** The default settings, with an objective of 90% for every target. By default, there is no objective. */
export const withObjectives: Settings = {
  ...defaultSettings,
  targets: defaultSettings.targets.map((target) => ({ ...target, ack_goal: 0.9, resolve_goal: 0.9 })),
}
