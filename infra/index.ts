export { CadreEnvironment, type EventTargetProps } from './cadre-environment.ts';
export type { CadreEnvironmentProps, JwtProps, ProviderProps } from './environment-props.ts';
