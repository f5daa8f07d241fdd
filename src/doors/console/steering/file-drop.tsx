import { useState } from 'preact/hooks';
import { count } from '../../../counted.ts';
import { readTextFiles, type TextFile } from './text-files.ts';

export interface FileDropProps {
  files: readonly TextFile[];
  onFiles: (files: readonly TextFile[]) => void;
}

/** Files of text, dropped here or chosen. */
export function FileDrop({ files, onFiles }: FileDropProps) {
  const [refusals, setRefusals] = useState<readonly string[]>([]);
  const [isOver, setIsOver] = useState(false);
  const add = async (chosen: FileList | null | undefined) => {
    const read = await readTextFiles([...(chosen ?? [])], files);
    setRefusals(read.refusals);
    onFiles(read.files);
  };
  return (
    <div
      class={`file-drop ${isOver ? 'over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        void add(event.dataTransfer?.files);
      }}
    >
      <label>
        Files of text that it is about: drop them here, or choose
        <input
          type="file"
          multiple
          onChange={({ currentTarget }) => {
            void add(currentTarget.files).then(() => (currentTarget.value = ''));
          }}
        />
      </label>
      {files.length > 0 && (
        <ul>
          {files.map(({ name, text }) => (
            <li key={name}>
              {name} <span class="muted">{count(text.length)} characters</span>{' '}
              <button
                type="button"
                class="plain"
                aria-label={`Leave out ${name}`}
                onClick={() => onFiles(files.filter((file) => file.name !== name))}
              >
                Leave out
              </button>
            </li>
          ))}
        </ul>
      )}
      <div role="alert">
        {refusals.map((refusal) => (
          <p key={refusal} class="problem">
            {refusal}
          </p>
        ))}
      </div>
    </div>
  );
}
