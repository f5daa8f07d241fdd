/** A value that JSON can carry unchanged: what is kept in the store and what travels in the state. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
