/** The inbox: what agents ask people, from the bar. */
export function Questions() {
  return null;
}
