// Asked before "triage" writes a file. Where it may write, a rule under [permissions] could say, too; what a draft may
// say takes code. Whatever this throws, or takes too long for, denies the call.

interface Event {
  arguments: { path: string; content: string };
}

const DRAFT = /^drafts\/[\w-]+\.md$/;
const KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----|\b(AKIA|ASIA)[0-9A-Z]{16}\b|\bsk-[\w-]{20}/;
const PROMISE = /\b(refund|credit|discount|voucher|compensat|guarantee)/i;

export function handler({ arguments: { path, content } }: Event) {
  if (!DRAFT.test(path)) return { decision: 'deny', reason: 'drafts are written to drafts/<ticket>.md' };
  if (KEY.test(content)) return { decision: 'deny', reason: 'the draft has a key in it' };
  if (PROMISE.test(content)) return { decision: 'ask', reason: 'the draft promises something' };
  return { decision: 'allow' };
}
