import type * as v from 'valibot';
import type { ProblemStatus } from './problem.ts';
import {
  AgentDetails,
  AgentList,
  Budget,
  Costs,
  EvalList,
  GivenAnswer,
  Health,
  QuestionDetails,
  QuestionList,
  RunList,
  RunMessages,
  RunResource,
  RunResult,
  RunTree,
  Disconnected,
  ServerChanged,
  ServerList,
  SignInAddress,
  UploadAddress,
} from './answers.ts';
import { ChangeReport } from '../../core/reports/change-report.ts';
import { RunInput } from './ag-ui/run-input.ts';
import { ROUTES, type Route } from './routes.ts';
import { NewUpload, StartRun } from './request-bodies.ts';
import { CameBack } from './sign-in-bodies.ts';
import { AddBudget, AnswerQuestion, ForkRun, ResumeRun, SendMessage } from './steering-bodies.ts';
import { CostsQuery, PageQuery } from './list-parameters.ts';
import { StartHeaders, WaitQuery } from './request-parameters.ts';
import { EventsHeaders, MessagesQuery, TreeEventsHeaders } from './reading-parameters.ts';

/** One route: what it takes, what it answers, and which problems it may end with. */
export interface Operation extends Route {
  summary: string;
  headers?: v.GenericSchema;
  query?: v.GenericSchema;
  body?: v.GenericSchema;
  /** Whether the body is a file. */
  bytes?: true;
  answers: Record<number, Answer>;
  /** Beside those that any request may get: 400, 403, 500 and 503, and 401 unless it is open. */
  problems: readonly ProblemStatus[];
  /** Whether `cadre serve` answers without a token. */
  open?: true;
}

interface Answer {
  description: string;
  schema?: v.GenericSchema;
  /** Its media type, or none for an answer without a body; absent: `application/json`. */
  type?: 'application/octet-stream' | 'text/event-stream' | 'none';
}

const RESULT = { description: 'The result of the run', schema: RunResult };
const STILL_RUNNING = { description: 'The run has not ended yet', schema: RunResource };

/** Every route there is, by name, as the OpenAPI document describes it. */
export const OPERATIONS = {
  listAgents: {
    ...ROUTES.listAgents,
    summary: 'List agents',
    answers: { 200: { description: 'All agents, by name', schema: AgentList } },
    problems: [],
  },
  getAgent: {
    ...ROUTES.getAgent,
    summary: 'Read an agent, with all that shapes its runs',
    answers: { 200: { description: 'The agent', schema: AgentDetails } },
    problems: [404, 422],
  },
  startRun: {
    ...ROUTES.startRun,
    summary: 'Start a run of an agent',
    headers: StartHeaders,
    query: WaitQuery,
    body: StartRun,
    answers: {
      200: RESULT,
      202: { description: 'The run has started; `Location` is its address', schema: RunResource },
    },
    problems: [404, 409, 413, 415, 422, 429],
  },
  runAgUi: {
    ...ROUTES.runAgUi,
    summary: 'Have the run of a thread go on for a client of AG-UI',
    body: RunInput,
    answers: {
      200: {
        description:
          "AG-UI's events, from `RUN_STARTED` to `RUN_FINISHED` or `RUN_ERROR`, until the run rests or waits for people",
        type: 'text/event-stream',
      },
    },
    problems: [404, 409, 413, 415, 422, 429, 501],
  },
  placeAttachment: {
    ...ROUTES.placeAttachment,
    summary: 'Learn where to put an image or a PDF that a run is to be shown, and which headers that takes',
    body: NewUpload,
    answers: {
      201: { description: 'The place, for 15 minutes; put the bytes there', schema: UploadAddress },
    },
    problems: [413, 415],
  },
  putAttachment: {
    ...ROUTES.putAttachment,
    summary: 'Put a file behind `cadre serve`; in an account, files are put into a bucket',
    bytes: true,
    answers: { 204: { description: 'A run can be shown the file, for a day', type: 'none' } },
    problems: [404, 413, 415],
  },
  getAttachment: {
    ...ROUTES.getAttachment,
    summary: 'Read an image or a PDF that a run was shown',
    answers: {
      200: { description: 'The file', type: 'application/octet-stream' },
      302: {
        description:
          'Where a file of more than 3 MB can be read for 15 minutes, without a token, in an account',
        type: 'none',
      },
    },
    problems: [404],
  },
  listRuns: {
    ...ROUTES.listRuns,
    summary: 'List top-level runs, newest first',
    query: PageQuery,
    answers: { 200: { description: 'A page of runs', schema: RunList } },
    problems: [],
  },
  getCosts: {
    ...ROUTES.getCosts,
    summary: 'Read what runs have cost, by the day and more',
    query: CostsQuery,
    answers: { 200: { description: 'The costs', schema: Costs } },
    problems: [],
  },
  listEvals: {
    ...ROUTES.listEvals,
    summary: 'List the newest evaluations, with what failed in them',
    answers: { 200: { description: 'The evaluations', schema: EvalList } },
    problems: [],
  },
  getRun: {
    ...ROUTES.getRun,
    summary: 'Read a run',
    answers: { 200: { description: 'The run', schema: RunResource } },
    problems: [404],
  },
  getTree: {
    ...ROUTES.getTree,
    summary: 'Read a run with every run below it',
    answers: { 200: { description: 'The run and its tree', schema: RunTree } },
    problems: [404],
  },
  getTreeEvents: {
    ...ROUTES.getTreeEvents,
    summary: 'Follow the state of every run of a tree as server-sent events',
    headers: TreeEventsHeaders,
    answers: {
      200: {
        description:
          'Events whose data is `{"runs": […]}`: first every run of the tree as it is, then those that have changed, each as in the tree itself and with `waits_for`; behind `cadre serve` until the tree has ended, in an account as soon as there are any or after 25 seconds: then ask again',
        type: 'text/event-stream',
      },
      204: {
        description: 'The tree has ended, and you have its last event: do not ask again',
        type: 'none',
      },
    },
    problems: [404],
  },
  getMessages: {
    ...ROUTES.getMessages,
    summary: "Read a run's conversation with its model",
    query: MessagesQuery,
    answers: { 200: { description: 'The conversation', schema: RunMessages } },
    problems: [404],
  },
  getWritingEvents: {
    ...ROUTES.getWritingEvents,
    summary: "Follow the answer that a run's model is writing as server-sent events",
    headers: TreeEventsHeaders,
    answers: {
      200: {
        description:
          'Events whose data is `{"turn", "offset", "text", "thinking"}`: the text behind so many characters of the answer to this turn, and before its first word the end of the model\'s thoughts; behind `cadre serve` until the run has ended, in an account as soon as there are any or after 25 seconds: then ask again',
        type: 'text/event-stream',
      },
      204: { description: 'The run has ended: do not ask again', type: 'none' },
    },
    problems: [404],
  },
  getChanges: {
    ...ROUTES.getChanges,
    summary: 'Compare what shaped a run with how it would be opened now',
    answers: { 200: { description: 'What has changed', schema: ChangeReport } },
    problems: [404, 409],
  },
  getResult: {
    ...ROUTES.getResult,
    summary: 'Read the result of a run',
    query: WaitQuery,
    answers: { 200: RESULT, 202: STILL_RUNNING },
    problems: [404, 409],
  },
  getEvents: {
    ...ROUTES.getEvents,
    summary: 'Follow a run and everything below it as server-sent events, each an AG-UI event',
    headers: EventsHeaders,
    answers: {
      200: {
        description:
          'Events in order; behind `cadre serve` until the run ends, in an account as soon as there are any or after 25 seconds: then ask again',
        type: 'text/event-stream',
      },
      204: {
        description: 'The run has ended, and you have all of its events: do not ask again',
        type: 'none',
      },
    },
    problems: [404],
  },
  stopRun: {
    ...ROUTES.stopRun,
    summary: 'Stop a run and everything below it',
    answers: {
      200: {
        description: 'The run has ended: it had already, or it was interrupted and is now closed',
        schema: RunResource,
      },
      202: { description: 'The run is being stopped', schema: RunResource },
    },
    problems: [404, 409],
  },
  killRun: {
    ...ROUTES.killRun,
    summary: 'End a run below the top of its tree, and everything below it, for good',
    answers: { 202: { description: 'The run is being ended', schema: RunResource } },
    problems: [404, 409],
  },
  forkRun: {
    ...ROUTES.forkRun,
    summary:
      'Make a copy of an agent that has answered, idle until it is sent a message; or, with a turn or a text, one in a tree of its own that goes on from there',
    headers: StartHeaders,
    body: ForkRun,
    answers: { 201: { description: 'The copy; `Location` is its address', schema: RunResource } },
    problems: [404, 409, 413, 415, 422, 429],
  },
  addBudget: {
    ...ROUTES.addBudget,
    summary: 'Add to what the tree of a run may spend',
    body: AddBudget,
    answers: { 200: { description: 'What the tree may spend now', schema: Budget } },
    problems: [404, 409, 413, 415],
  },
  resumeRun: {
    ...ROUTES.resumeRun,
    summary: 'Continue a run that has no answer, with the settings that it was opened with, or another model',
    body: ResumeRun,
    answers: { 202: { description: 'The run continues; `Location` is its address', schema: RunResource } },
    problems: [404, 409, 413, 415, 422],
  },
  sendMessage: {
    ...ROUTES.sendMessage,
    summary:
      'Write to the agent of a run, which reads it with its next turn, or goes on with it if it has ended',
    body: SendMessage,
    answers: {
      202: {
        description: 'The message was taken; `Location` is the address of the run',
        schema: RunResource,
      },
    },
    problems: [404, 409, 413, 415, 422],
  },
  listQuestions: {
    ...ROUTES.listQuestions,
    summary: 'List questions that wait for a person',
    answers: { 200: { description: 'All open questions', schema: QuestionList } },
    problems: [],
  },
  getQuestion: {
    ...ROUTES.getQuestion,
    summary: 'Read a question with everything that is needed to answer it, or how it was answered',
    answers: { 200: { description: 'The question', schema: QuestionDetails } },
    problems: [404],
  },
  answerQuestion: {
    ...ROUTES.answerQuestion,
    summary: 'Answer a question; the first answer wins',
    body: AnswerQuestion,
    answers: { 200: { description: 'The answer was taken', schema: GivenAnswer } },
    problems: [404, 409, 413, 415],
  },
  listServers: {
    ...ROUTES.listServers,
    summary: 'List the servers of agents that a person signs in to, and whether the caller has',
    answers: { 200: { description: 'The servers', schema: ServerList } },
    problems: [],
  },
  connectServer: {
    ...ROUTES.connectServer,
    summary: 'Begin to sign in to a server, with an account of the caller',
    answers: { 200: { description: 'Where to go', schema: SignInAddress } },
    problems: [404, 409, 422],
  },
  disconnectServer: {
    ...ROUTES.disconnectServer,
    summary: "Forget the caller's sign-in to a server, and revoke its tokens where that can be done",
    answers: { 200: { description: 'It is forgotten', schema: Disconnected } },
    problems: [404],
  },
  completeSignIn: {
    ...ROUTES.completeSignIn,
    summary: 'End a sign-in that the same caller has begun, with what the browser came back with',
    body: CameBack,
    answers: { 200: { description: 'The caller has signed in', schema: ServerChanged } },
    problems: [404, 409, 413, 415, 422],
  },
  getHealth: {
    ...ROUTES.getHealth,
    summary: 'Check whether the API answers, and its version',
    answers: { 200: { description: 'It answers', schema: Health } },
    problems: [],
    open: true,
  },
  getOpenApi: {
    ...ROUTES.getOpenApi,
    summary: 'Read this document',
    answers: { 200: { description: 'The OpenAPI document' } },
    problems: [],
  },
} as const satisfies Record<keyof typeof ROUTES, Operation>;
