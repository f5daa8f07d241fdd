import { count } from '../../../counted.ts';
import type { SelectedRun } from '../selected-run.ts';
import { Attachments } from '../shared/attachments.tsx';
import { WholeText } from '../shared/whole-text.tsx';
import { CallCard, type NestedConversation } from './call-card.tsx';
import { HookDecisions } from './hook-decisions.tsx';
import { dollars, duration } from '../shared/figures.ts';
import type { TurnBlock } from './turns.ts';
import { Sources } from './sources.tsx';
import { TurnTools } from '../steering/turn-tools.tsx';
import { useArrival } from './use-arrival.ts';
import { wholeAnswer, wholeSaid } from './whole-texts.ts';

export interface TurnViewProps extends SelectedRun {
  block: TurnBlock;
  /** Whether its texts are drawn at once, and not when they are about to be seen. */
  isInSight: boolean;
  nested: NestedConversation;
  /** Fetches the words that it was made for. */
  words: () => Promise<string>;
}

/** The messages before a turn, its answer, and its calls. */
export function TurnView({ run, tree, block, isInSight, nested, words }: TurnViewProps) {
  const { turn, said, answer, calls } = block;
  const { number } = turn;
  const { place, isHere } = useArrival<HTMLLIElement>(run.run_id, number);
  return (
    <li ref={place} class={isHere ? 'turn here' : 'turn'} tabIndex={-1} aria-current={isHere && 'location'}>
      {said.map((message, index) => (
        <div class="message user">
          <WholeText
            text={message.text}
            characters={message.characters}
            whole={() => wholeSaid(run.run_id, number, index)}
            what="message"
            isInSight={isInSight}
          >
            <h3>Told</h3>
          </WholeText>
          <Attachments run={run.run_id} attachments={message.attachments} />
        </div>
      ))}
      <div class="message assistant">
        <WholeText
          text={answer.text}
          characters={answer.characters}
          whole={() => wholeAnswer(run.run_id, number)}
          what={`answer of turn ${number}`}
          isInSight={isInSight}
        >
          <h3>
            {run.name ?? run.agent} <span class="figures">{figuresOf(turn)}</span>
          </h3>
        </WholeText>
        <Sources sources={turn.sources} />
        <HookDecisions hooks={answer.hooks} />
      </div>
      <TurnTools run={run} tree={tree} number={number} words={words} />
      {calls.map(({ call, result }, index) => (
        <CallCard
          key={index}
          run={run}
          tree={tree}
          turn={number}
          index={index}
          call={call}
          result={result}
          nested={nested}
        />
      ))}
    </li>
  );
}

function figuresOf(turn: TurnBlock['turn']): string {
  const { number, duration_ms: took, input_tokens: read, output_tokens: written, usd } = turn;
  return [
    `turn ${number}`,
    duration(took),
    `${count(read)} tokens in, ${count(written)} out`,
    ...(usd === null ? [] : [dollars(usd)]),
  ].join(' · ');
}
