/** Sends REQUESTS requests as fast as the limits allow: node burst.mjs BASE_URL APP_KEY REQUESTS QUOTA */
import { createClient } from '../../dist/client/client.js'

const [baseUrl, appKey, requests, quota] = process.argv.slice(2)
const client = createClient({ baseUrl, appKey, quota: Number(quota) })
const one = () => client.call('team/infos', { team_ids: [1] })
await Promise.all(Array.from({ length: Number(requests) }, one))
// An open client must not keep the process alive for a minute.
if (process.env.LEAVE_OPEN !== '1') await client.close()
console.log(JSON.stringify(client.stats()))
