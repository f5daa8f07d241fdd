import { useEffect, useState } from 'preact/hooks';

/** How long it says that it has copied, in milliseconds. */
const TOLD_MS = 2_000;

/** Copies a text. @param what of which it is, for those who do not see what stands beside the button */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), TOLD_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => {
    // Browsers give no clipboard to pages that came over plain HTTP from elsewhere.
    const writing = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error());
    setOutcome(
      await writing.then(
        () => 'copied' as const,
        () => 'refused' as const,
      ),
    );
  };
  return (
    <>
      <button type="button" class="plain copy" aria-label={`Copy ${what}`} onClick={() => void copy()}>
        {outcome === 'copied' ? 'Copied' : outcome === 'refused' ? 'Select it to copy' : 'Copy'}
      </button>
      <span role="status" class="spoken">
        {outcome === 'copied' ? 'Copied' : ''}
      </span>
    </>
  );
}
