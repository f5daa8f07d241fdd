/** Style sheets, which the build gathers into one. */
declare module '*.css';
