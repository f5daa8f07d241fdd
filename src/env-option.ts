/** The option with which a proposed command finds an environment, with a blank in front; "" for this folder. */
export function envOption(environment: string | undefined): string {
  return environment === undefined ? '' : ` --env ${environment}`;
}
