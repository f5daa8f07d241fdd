import type { Json } from '../json.ts';

/** Something in a definition for which it is refused. */
export interface Problem {
  /** Where, such as `/States/Act/ItemProcessor/States/Run/Resource`. */
  location: string;
  message: string;
}

export function checkDefinition(_definition: Json): Problem[] {
  return [];
}
