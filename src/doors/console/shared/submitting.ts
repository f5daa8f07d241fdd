/** Handles that a form is submitted: the page does with it what the browser would. */
export function submitting(act: (form: HTMLFormElement) => unknown): (event: SubmitEvent) => void {
  return (event) => {
    event.preventDefault();
    if (event.currentTarget instanceof HTMLFormElement) act(event.currentTarget);
  };
}
