/** Times on a line: when it begins, how long it is, and where its marks are, in milliseconds. */
export interface TimeScale {
  start: number;
  length: number;
  marks: number[];
}

/** Distances between marks that people count in: seconds, minutes, hours and days. */
const STEPS = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30].map((seconds) => seconds * 1000),
  ...[1, 2, 5, 10, 20, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 4, 8, 12, 24, 48, 168].map((hours) => hours * 3_600_000),
];

/** @param room how many marks there is room for */
export function timeScale(start: number, end: number, room: number): TimeScale {
  const length = Math.max(100, end - start);
  const step = STEPS.find((each) => length / each <= room) ?? length / 2;
  const marks = Array.from({ length: Math.floor(length / step) }, (_, index) => (index + 1) * step);
  return { start, length, marks };
}
