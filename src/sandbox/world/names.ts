export const TEAMS: readonly (readonly [name: string, ...services: string[]])[] = [
  ['Payments', 'payment-gateway', 'ledger-writer', 'card-vault', 'settlement-batch'],
  ['Checkout', 'checkout-api', 'cart-service', 'pricing-engine', 'promo-rules'],
  ['Identity', 'login-api', 'session-store', 'mfa-broker'],
  ['Search', 'search-frontend', 'query-parser', 'index-builder'],
  ['Catalog', 'catalog-api', 'image-resizer', 'product-import'],
  ['Platform', 'api-gateway', 'service-mesh', 'config-service', 'job-scheduler'],
  ['Data Platform', 'events-pipeline', 'warehouse-loader', 'feature-store'],
  ['Mobile', 'mobile-bff', 'push-sender', 'app-config'],
  ['Storefront', 'storefront-web', 'cdn-edge', 'content-api'],
  ['Logistics', 'shipment-tracker', 'route-planner', 'label-printer'],
  ['Fraud & Risk', 'risk-scorer', 'chargeback-worker', 'kyc-check'],
  ['Messaging', 'mail-relay', 'sms-gateway', 'template-renderer'],
  ['Billing', 'invoice-api', 'tax-service', 'dunning-worker'],
  ['Observability', 'metrics-store', 'log-ingest', 'trace-collector'],
  ['Network', 'edge-router', 'dns-resolver', 'vpn-gateway'],
  ['Storage', 'object-store', 'postgres-main', 'redis-cache', 'backup-runner'],
  ['Developer Tools', 'ci-runners', 'artifact-registry', 'code-search'],
  ['Warehouse Ops', 'pick-station', 'stock-sync', 'robot-control'],
  ['Marketplace', 'seller-api', 'listing-moderation', 'payout-worker'],
  ['Recommendations', 'reco-api', 'model-trainer', 'embedding-index'],
  ['Customer Support', 'ticket-desk', 'chat-backend', 'call-router'],
  ['Loyalty', 'points-ledger', 'coupon-api', 'partner-sync'],
  ['Ads', 'ad-server', 'bid-listener', 'attribution-job'],
  ['Security', 'secrets-broker', 'waf-edge', 'audit-collector'],
  ['Internal IT', 'directory-sync', 'mail-archive', 'print-server'],
  ['Analytics', 'report-builder', 'cube-refresh', 'export-service'],
  ['Inventory', 'stock-api', 'reservation-worker', 'forecast-job'],
  ['Partner APIs', 'partner-gateway', 'webhook-sender', 'edi-bridge'],
  ['Media', 'video-transcoder', 'stream-origin', 'thumbnailer'],
  ['Site Reliability', 'status-page', 'chaos-runner', 'capacity-bot'],
]

const split = (names: string) => names.split(',').map((name) => name.trim())

export const FIRST_NAMES = split(`
  Amara, Jonas, Priya, Mateo, Wei, Sofia, Noah, Yuki, Fatima, Lukas,
  Chloe, Omar, Ingrid, Rahul, Elena, Tobias, Mei, André, Zoë, Kwame,
  Nadia, Felix, Hana, Diego, Freya, Samir, Leila, Björn, Ines, Tariq`)
export const LAST_NAMES = split(`
  Okafor, Weber, Nair, García, Chen, Rossi, Müller, Tanaka, Haddad, Novak,
  Dubois, Farouk, Larsen, Mehta, Petrova, Schmidt, Lin, Silva, van Dijk, Mensah,
  Ivanova, Keller, Sato, Fernández, Nilsson, Rahman, Hosseini, Lindqvist, Costa, O'Brien`)

export const REGIONS = ['eu-central-1', 'eu-west-1', 'us-east-1', 'us-west-2', 'ap-southeast-1']
export const ENVIRONMENTS = ['production', 'production', 'production', 'production', 'staging']

export const INTEGRATIONS: readonly (readonly [type: string, name: string])[] = [
  ['prometheus', 'Prometheus EU'],
  ['prometheus', 'Prometheus US'],
  ['grafana', 'Grafana Cloud'],
  ['aws.cloudwatch', 'CloudWatch'],
  ['zabbix', 'Zabbix DC1'],
  ['sentry', 'Sentry'],
  ['datadog', 'Datadog'],
  ['email', 'Legacy mailbox'],
]
