import { Dialog } from '../shared/dialog.tsx';
import { OTHER_KEYS, type Command } from './keys.ts';

/** All keys that there are. */
export function KeyList({ commands, onClose }: { commands: readonly Command[]; onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="frame-keys">
        {[...commands, ...OTHER_KEYS].map(({ hint, name }) => (
          <div key={hint}>
            <dt>
              <kbd>{hint}</kbd>
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
