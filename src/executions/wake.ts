/**
 * The port that wakes a state which waits for a task token: no more than a hint, since what the state waits for is in
 * the store. No error if none waits for the token any more.
 * @param approved whether what it waits for is a person's approval, and was given
 */
export type Wake = (token: string, approved: boolean) => Promise<void>;
