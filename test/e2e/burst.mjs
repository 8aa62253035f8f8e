/** A process that sends so many requests as fast as it may: node burst.mjs BASE_URL APP_KEY REQUESTS QUOTA FOLDER */
import { createClient } from '../../dist/client/client.js'

const [baseUrl, appKey, requests, quota, folder] = process.argv.slice(2)
const sharing = { folder, warn: (message) => console.error(message) }
const client = createClient({ baseUrl, appKey, quota: Number(quota), sharing })
const one = () => client.call('team/infos', { team_ids: [1] })
await Promise.all(Array.from({ length: Number(requests) }, one))
await client.close()
console.log(JSON.stringify(client.stats()))
