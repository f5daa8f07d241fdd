/** Names of variables and headers that usually contain secrets. `author` is not one. */
export const SECRET_NAME = /auth(?!ors?(_|$))|cookie|credential|key|pass(w|phrase|_|$)|_pwd$|secret|token/i;
