/** What agents call as `count_words`: it is given their arguments, and what it returns is what their models read. */
export async function handler({ text }: { text: string }): Promise<number> {
  return text.split(/\s+/).filter((word) => word !== '').length;
}
