export { CadreEnvironment } from './cadre-environment.ts';
export { ConfigError } from '../src/errors.ts';
export type { CadreEnvironmentProps, JwtProps, ProviderProps } from './environment-props.ts';
export type { EventTargetProps } from './event-target.ts';
