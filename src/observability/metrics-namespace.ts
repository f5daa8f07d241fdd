/** Where our metrics are in CloudWatch. All of them carry the dimension `environment`. */
export const METRICS_NAMESPACE = 'Cadre';
