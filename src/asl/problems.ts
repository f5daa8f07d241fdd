/** Something in a definition that is wrong, or may be. */
export interface Problem {
  severity: 'ERROR' | 'WARNING';
  /** As the service classifies it. */
  code: string;
  message: string;
  /** Where, such as `/States/Act/ItemProcessor/States/Run/Resource`. */
  location: string;
}

/** What has been found so far. */
export class Problems {
  readonly list: Problem[] = [];

  error(location: string, message: string, code = 'SCHEMA_VALIDATION_FAILED'): void {
    this.list.push({ severity: 'ERROR', code, message, location: location === '' ? '/' : location });
  }

  warn(location: string, message: string, code: string): void {
    this.list.push({ severity: 'WARNING', code, message, location });
  }
}
