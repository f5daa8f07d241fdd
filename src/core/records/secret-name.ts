/** The names that mostly stand for secrets, as variables and headers have them. Authors are none. */
export const SECRET_NAME = /auth(?!ors?(_|$))|cookie|credential|key|pass(w|phrase|_|$)|_pwd$|secret|token/i;
