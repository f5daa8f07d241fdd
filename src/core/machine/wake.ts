/**
 * The port that wakes a state which waits for a task token. A wake is only a hint, since what the state waits for is in
 * the store. No error if nothing waits for the token any more.
 */
export type Wake = (token: string, output?: WakeOutput) => Promise<void>;

/** The result that the state gets with the token. */
export type WakeOutput = {
  /** Whether what it waits for is a person's approval, and was given. */
  approved?: boolean;
  /** When the time of an idle run that has been written to is over, in milliseconds since 1970; absent: as before. */
  deadline?: number;
};
