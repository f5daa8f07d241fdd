import type { HTMLAttributes } from 'preact';
import { useState } from 'preact/hooks';
import { count } from '../../../counted.ts';
import { readTextFiles, type TextFile } from './text-files.ts';

/** Files that are given by dropping or choosing them. */
export interface GivenFiles {
  files: readonly TextFile[];
  onFiles: (files: readonly TextFile[]) => void;
  add: (chosen: FileList | null | undefined) => Promise<void>;
  refusals: readonly string[];
  /** Whether files are held over the place where they can be dropped. */
  isOver: boolean;
  /** Of the element that they can be dropped on. */
  dropping: Pick<HTMLAttributes<HTMLElement>, 'onDragLeave' | 'onDragOver' | 'onDrop'>;
}

export function useFiles(files: readonly TextFile[], onFiles: GivenFiles['onFiles']): GivenFiles {
  const [refusals, setRefusals] = useState<readonly string[]>([]);
  const [isOver, setIsOver] = useState(false);
  const add = async (chosen: FileList | null | undefined) => {
    const read = await readTextFiles([...(chosen ?? [])], files);
    setRefusals(read.refusals);
    onFiles(read.files);
  };
  // A text that is dragged goes where it is dropped.
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true;
  const dropping: GivenFiles['dropping'] = {
    onDragOver(event) {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(true);
    },
    onDragLeave({ currentTarget, relatedTarget }) {
      if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget)) setIsOver(false);
    },
    onDrop(event) {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(false);
      void add(event.dataTransfer?.files);
    },
  };
  return { files, onFiles, add, refusals, isOver, dropping };
}

/** The files that were given, and a way to choose others. */
export function FileDrop({ files, onFiles, add, refusals, isOver }: GivenFiles) {
  return (
    <div class={`file-drop ${isOver ? 'over' : ''}`}>
      <label>
        Texts, images and PDFs that it is about: drop them anywhere on this form, or choose
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
          {files.map(({ name, text, shown }) => (
            <li key={name}>
              {name}{' '}
              <span class="muted">
                {shown === undefined ? `${count(text.length)} characters` : `${count(shown.size)} bytes`}
              </span>{' '}
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
