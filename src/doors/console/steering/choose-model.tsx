import { Dialog } from '../shared/dialog.tsx';

/** Asks for the model with which a run is resumed whose own has refused it. */
export function ChooseModel({
  onChoose,
  onClose,
}: {
  onChoose: (model: string) => void;
  onClose: () => void;
}) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const model = new FormData(event.currentTarget).get('model');
    if (typeof model === 'string') onChoose(model.trim());
  };
  return (
    <Dialog title="Resume with another model" onClose={onClose}>
      <p>Agents below it keep theirs.</p>
      <form onSubmit={submit}>
        <label>
          Model
          <input type="text" name="model" placeholder="provider/model-name" required />
        </label>
        <button type="submit" class="main">
          Resume
        </button>
      </form>
    </Dialog>
  );
}
