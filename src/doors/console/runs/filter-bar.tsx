import { useState } from 'preact/hooks';
import { filterOf, hrefOf, queryOf, type RunFilter } from '../route.ts';
import { submitting } from '../shared/submitting.ts';
import { visible } from '../shared/visible.ts';
import { useSavedFilters } from './saved-filters.ts';

/** The filters that were saved by name, and a way to save the one that is in use. */
export function FilterBar({ filter }: { filter: RunFilter }) {
  const { filters, save, remove } = useSavedFilters();
  const query = queryOf(filter);
  if (filters.length === 0 && query === '') return null;
  const isSaved = filters.some((saved) => saved.query === query);
  return (
    <div class="runs-saved" role="group" aria-label="Saved filters">
      {filters.map(({ name, query: saved }) => (
        <span key={name} class="runs-chip">
          <a
            href={hrefOf({ view: 'runs', filter: filterOf(saved) })}
            aria-current={saved === query ? 'true' : undefined}
          >
            {visible(name)}
          </a>
          <button
            type="button"
            class="plain"
            aria-label={`Delete the filter ${name}`}
            onClick={() => remove(name)}
          >
            ×
          </button>
        </span>
      ))}
      {query !== '' && !isSaved && <SaveFilter onSave={(name) => save({ name, query })} />}
    </div>
  );
}

const MOST_CHARACTERS = 40;

function SaveFilter({ onSave }: { onSave: (name: string) => void }) {
  const [name, setName] = useState<string>();
  if (name === undefined) {
    return (
      <button type="button" class="plain" onClick={() => setName('')}>
        Save this filter
      </button>
    );
  }
  const save = () => {
    if (name.trim() === '') return;
    onSave(name.trim());
    setName(undefined);
  };
  return (
    <form class="runs-save" onSubmit={submitting(save)}>
      <input
        aria-label="Name of the filter"
        placeholder="Name"
        maxLength={MOST_CHARACTERS}
        value={name}
        // The field is there because it was asked for.
        ref={(field) => field?.focus()}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
        onKeyDown={({ key }) => key === 'Escape' && setName(undefined)}
      />
      <button type="submit">Save</button>
    </form>
  );
}
