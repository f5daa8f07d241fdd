import type { Artifact, StreamResponse } from '@a2a-js/sdk';
import type { Environment } from '../../../places/environment.ts';
import type { TreeEvent } from '../../../core/events/tree-event.ts';
import { answerArtifact, textPart } from './tasks.ts';

type Of = { taskId: string; contextId: string };

/** The answer of a task as it is told while it is written. */
export interface GrowingAnswer {
  /** Takes each event of a run, and hands on what is new of its text. */
  piece(event: TreeEvent): Promise<StreamResponse | undefined>;
  /** The end of the artifact, or all of it if its pieces were those of another text. */
  end(artifact: Artifact): StreamResponse;
}

/**
 * The text of each turn replaces that of the turn before, since nobody knows whether a text is the answer until its
 * turn has ended. So a client that joins the pieces ends up with the answer, and nothing else. A value comes whole.
 */
export function createGrowingAnswer(
  run: string,
  of: Of,
  records: Pick<Environment['records'], 'opened'>,
): GrowingAnswer {
  let sent = '';
  let isText: boolean | undefined;
  return {
    async piece({ event, before }) {
      if (event.type !== 'message_delta' || event.kind !== 'text' || event.run !== run) return undefined;
      isText ??= (await records.opened(run))?.output === undefined;
      if (!isText) return undefined;
      const isMore = sent !== '' && (before?.characters ?? 0) > 0;
      sent = isMore ? sent + event.text : event.text;
      return update(answerArtifact(textPart(event.text)), isMore, false);
    },
    end(artifact) {
      const [only] = artifact.parts;
      const isWhole = sent !== '' && only?.content?.$case === 'text' && only.content.value === sent;
      return isWhole ? update(answerArtifact(textPart('')), true, true) : update(artifact, false, true);
    },
  };

  function update(artifact: Artifact, append: boolean, lastChunk: boolean): StreamResponse {
    return {
      payload: {
        $case: 'artifactUpdate',
        value: { ...of, artifact, append, lastChunk, metadata: undefined },
      },
    };
  }
}
