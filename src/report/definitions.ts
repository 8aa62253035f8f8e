/** The rules behind the words of every report, printed where it says how it was counted. */
export const definitions = [
  {
    term: 'Incident',
    text: 'one incident_id that is not deleted and still known to the service; it belongs to the period in which it started.',
  },
  {
    term: 'Time to acknowledge',
    text: 'from start to first acknowledgement. Muted and unacknowledged incidents are left out.',
  },
  {
    term: 'Time to resolve',
    text: 'from start to close, closed incidents that people handled: acknowledged, or closed by hand.',
  },
  { term: 'Time to recover', text: 'from start until the alerts recovered.' },
  { term: 'Severity', text: 'incident_severity, as configured; it does not fall when alerts recover.' },
  {
    term: 'Median, p90',
    text: 'linear interpolation; no p90 below 10 incidents, no interval of a median below 6. What is pale or hollow, or marked !, rests on few incidents.',
  },
  {
    term: 'Change',
    text: 'durations: ratio of geometric means; shares: difference (Newcombe); counts: ratio, widened by how much weeks differ. No colour and no arrow when the 95 % interval holds "the same".',
  },
  {
    term: 'Interval',
    text: 'the range on the cards, 95 %: order statistics for a median, Wilson for a share. n is how many incidents it rests on.',
  },
  {
    term: 'Usual',
    text: 'limits of an individuals chart (XmR) over all whole weeks shown: by medians below 20 weeks, by means from there. Drawn from 6, judged from 12.',
  },
  {
    term: 'Hours',
    text: 'work is Monday to Friday 8 to 19, sleep is 23 to 8, in local time; sleep goes before work.',
  },
  {
    term: 'As of',
    text: 'the moment the data was read. Open incidents are watched until then. Weeks begin on Monday, local time.',
  },
] as const
