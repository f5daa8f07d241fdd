/** An error, told to screen readers at once. */
export function ProblemText({ text }: { text: string | undefined }) {
  return (
    <p role="alert" class="problem" hidden={text === undefined}>
      {text}
    </p>
  );
}
