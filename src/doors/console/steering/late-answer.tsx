import { useLateAnswer } from './open-questions.ts';

/** The fate of an answer whose question is gone. */
export function LateAnswer() {
  const { text, onRead } = useLateAnswer();
  if (text === undefined) return null;
  return (
    <p role="alert" class="problem">
      {text}{' '}
      <button type="button" class="plain" onClick={onRead}>
        Close
      </button>
    </p>
  );
}
