import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { AgentError } from '../../../errors.ts';
import { replaceHidden } from '../../../shown-characters.ts';
import { shortened } from '../../../shortened.ts';
import { BROKEN_OFF } from './http-transport.ts';

/** Enough of what a server says to see what it is about; a proxy in front of it may answer with a page of HTML. */
const MAX_CHARACTERS = 500;

/**
 * Why a server gave no answer, or not the one that was asked for, in words.
 * @param redact removes texts that must not be told, before a cut can leave a part of it
 */
export function wordsOf(thrown: unknown, redact: (text: string) => string): string {
  return oneLine(redact(plain(reasonOf(thrown))), MAX_CHARACTERS);
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof ProtocolError) return thrown.message;
  if (thrown instanceof SdkHttpError) return httpReason(thrown);
  if (thrown instanceof SdkError) {
    switch (thrown.code) {
      case SdkErrorCode.RequestTimeout:
        return 'it took too long';
      case SdkErrorCode.ConnectionClosed:
      case SdkErrorCode.NotConnected:
        return 'the server has exited';
      case SdkErrorCode.InvalidResult:
        return 'its answer does not follow the protocol';
      case SdkErrorCode.UnsupportedResultType:
        return 'it asks for input, which nothing here can give';
      default:
        return causeOf(thrown) ?? thrown.message;
    }
  }
  if (thrown instanceof Error && thrown.name === 'TimeoutError') return 'it took too long';
  if (isMissing(thrown)) {
    const hint = /\s/.test(thrown.path) ? '; what follows the program belongs in args' : '';
    return `there is no command "${thrown.path}", or its folder does not exist${hint}`;
  }
  if (thrown instanceof Error && thrown.name === 'ZodError') return 'its answer does not follow the protocol';
  if (thrown instanceof SyntaxError) return 'its answer is not JSON';
  return causeOf(thrown) ?? (thrown instanceof Error ? thrown.message : String(thrown));
}

function httpReason({ status, statusText, data }: SdkHttpError): string {
  const text = typeof data['text'] === 'string' ? data['text'] : '';
  const said = /^\s*</.test(text) ? '' : text.trim();
  if (status >= 300 && status < 400)
    return `it redirects to another place, which is not followed (HTTP ${status})`;
  return `HTTP ${status}${statusText ? ` ${statusText}` : ''}${said === '' ? '' : `: ${said}`}`;
}

/** `fetch failed` says nothing; the text behind it does: `connect ECONNREFUSED 127.0.0.1:80`. */
function causeOf(thrown: unknown): string | undefined {
  for (let at = thrown; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string' && /^(E[A-Z]+|UND_ERR_\w+|CERT_\w+)$/.test(at.code)) {
      return at.message || at.code;
    }
    if (at.name === 'AnswerTooLong') return at.message;
  }
  return undefined;
}

function isMissing(thrown: unknown): thrown is Error & { path: string } {
  return (
    thrown instanceof Error &&
    'code' in thrown &&
    thrown.code === 'ENOENT' &&
    'path' in thrown &&
    typeof thrown.path === 'string'
  );
}

/**
 * The fate of a call that got no answer. `refused`: the server was reached and did not carry it out; `unsent`: it never
 * got there; `lost`: unknown.
 */
export function fateOf(thrown: unknown): 'answered' | 'refused' | 'unsent' | 'lost' {
  if (thrown instanceof ProtocolError) return thrown.code === BROKEN_OFF ? 'lost' : 'answered';
  // Ours, where there is no token with which the server would carry it out.
  if (thrown instanceof AgentError) return 'refused';
  if (thrown instanceof SdkHttpError) return thrown.status >= 300 && thrown.status < 500 ? 'refused' : 'lost';
  if (thrown instanceof SdkError) {
    if (thrown.code === SdkErrorCode.InvalidResult || thrown.code === SdkErrorCode.UnsupportedResultType)
      return 'answered';
    return thrown.code === SdkErrorCode.NotConnected ? 'unsent' : 'lost';
  }
  for (let at = thrown; at instanceof Error; at = at.cause) {
    if (
      'code' in at &&
      ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT', 'EPIPE'].includes(
        String(at.code),
      )
    ) {
      return 'unsent';
    }
  }
  return 'lost';
}

/** What stands where a text goes on that is too long for a model. */
const CUT = '… [cut]';

/** A text of at most so many characters, which says so if it was longer. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - CUT.length).toWellFormed()}${CUT}`;
}

/** Without characters that move a cursor or hide text, on one line. */
export function oneLine(text: string, most: number): string {
  return shortened(plain(text).replace(/\s+/g, ' ').trim(), most);
}

/** Without characters that act on a screen or cannot be seen, but for line ends and tabs. */
export function plain(text: string): string {
  return replaceHidden(text.toWellFormed(), () => '');
}
