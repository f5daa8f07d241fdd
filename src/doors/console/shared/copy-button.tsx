import { useEffect, useState } from 'preact/hooks';

/** How long it says that it has copied, in milliseconds. */
const TOLD_MS = 2_000;

export interface CopyButtonProps {
  /** Fetched when it is wanted, where it is not here. */
  text: string | (() => Promise<string>);
  /** Its name, for those who do not see what stands beside the button. */
  what: string;
  /** What stands on it. */
  label?: string;
}

/** Copies a text. */
export function CopyButton({ text, what, label = 'Copy' }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), TOLD_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => {
    // Browsers give no clipboard to pages that came over plain HTTP from elsewhere.
    const write = async () => navigator.clipboard.writeText(typeof text === 'string' ? text : await text());
    setOutcome(
      await write().then(
        () => 'copied' as const,
        () => 'refused' as const,
      ),
    );
  };
  const shown = outcome === 'copied' ? 'Copied' : outcome === 'refused' ? 'Select it to copy' : label;
  return (
    <>
      <button type="button" class="plain copy" aria-label={`${shown} ${what}`} onClick={() => void copy()}>
        {shown}
      </button>
      <span role="status" class="spoken">
        {outcome === 'copied' ? 'Copied' : ''}
      </span>
    </>
  );
}
