// test/fixtures/chromium.ts
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";
var CHROMIUM = (process.env["PATH"] ?? "").split(delimiter).flatMap((folder) => ["chromium", "chromium-browser", "google-chrome"].map((name) => join(folder, name))).find((path) => existsSync(path));
async function launchChromium() {
  if (CHROMIUM === void 0) throw new Error("there is no chromium here");
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
}

// test/doors/console/pictures/album.ts
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join as join2 } from "node:path";

// test/doors/console/pictures/flat-png.ts
import { crc32, deflateSync } from "node:zlib";
function toPng({ width, height, palette, points }) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const lines = Buffer.alloc((width + 1) * height);
  for (let line2 = 0; line2 < height; line2++) {
    lines.set(points.subarray(line2 * width, (line2 + 1) * width), line2 * (width + 1) + 1);
  }
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\n", "latin1"),
    chunk("IHDR", header),
    chunk("PLTE", palette),
    chunk("IDAT", deflateSync(lines, { level: 9, memLevel: 9 })),
    chunk("IEND", new Uint8Array())
  ]);
}
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

// test/doors/console/pictures/album.ts
var ACCEPTS = process.env["CADRE_PICTURES"] === "accept";
var ACCEPTED = join2(import.meta.dirname, "accepted");
var CHANGED = join2(import.meta.dirname, "../../../../node_modules/.cache/pictures");
var MOST_DIFFERENCE = 32;
var MOST_FLATTENED = 26;
var MOST_POINTS = 60;
async function openAlbum(browser2) {
  const page = await browser2.newPage();
  await page.setContent("<title>Pictures</title>");
  const key = `${browser2.browserType().name()}-${browser2.version()}-${await fontsOf(page)}`;
  const folder = join2(ACCEPTED, key);
  const kept = await readdir(folder).catch(() => []);
  if (ACCEPTS) await mkdir(folder, { recursive: true });
  return {
    key,
    isThere: ACCEPTS || kept.length > 0,
    async compare(name, png) {
      const file = join2(folder, `${name}.png`);
      const accepted = await readFile(file).catch(() => void 0);
      const { points, size, difference } = accepted === void 0 ? { points: 1, size: 1, difference: "" } : await held(page, addressOf(png), addressOf(accepted));
      if (points * 1e6 <= size * MOST_POINTS) return void 0;
      if (ACCEPTS) {
        await writeFile(file, await flattened(page, addressOf(png)));
        return void 0;
      }
      await mkdir(CHANGED, { recursive: true });
      const shown = join2(CHANGED, name);
      await writeFile(`${shown}.now.png`, png);
      if (accepted === void 0) return `${name}: there is no accepted picture; it is now: ${shown}.now.png`;
      await writeFile(`${shown}.accepted.png`, accepted);
      await writeFile(`${shown}.difference.png`, bytesOf(difference));
      return `${name}: ${points} of ${size} points have changed: ${shown}.{now,accepted,difference}.png`;
    },
    async keepOnly(names2) {
      if (!ACCEPTS) return;
      const known = new Set(names2.map((name) => `${name}.png`));
      const left = (await readdir(folder)).filter((file) => !known.has(file));
      await Promise.all(left.map((file) => rm(join2(folder, file))));
    }
  };
}
async function held(page, now, accepted) {
  return page.evaluate(`(async (now, accepted, most) => {
    ${READ}
    const [one, other] = [await read(now), await read(accepted)];
    const [a, b] = [one.data, other.data];
    const size = a.length / 4;
    if (a.length !== b.length || one.width !== other.width) return { points: size, size, difference: now };
    const differs = (at) =>
      Math.abs(a[at] - b[at]) > most || Math.abs(a[at + 1] - b[at + 1]) > most || Math.abs(a[at + 2] - b[at + 2]) > most;
    let points = 0;
    for (let at = 0; at < a.length; at += 4) if (differs(at)) points += 1;
    if (points === 0) return { points, size, difference: '' };
    for (let at = 0; at < a.length; at += 4) {
      const isChanged = differs(at);
      for (const channel of [0, 1, 2]) b[at + channel] = isChanged ? [220, 0, 0][channel] : 192 + b[at + channel] / 4;
    }
    const context = new OffscreenCanvas(other.width, other.height).getContext('2d');
    context.putImageData(other, 0, 0);
    return { points, size, difference: await toAddress(await context.canvas.convertToBlob()) };
  })(${JSON.stringify(now)}, ${JSON.stringify(accepted)}, ${MOST_DIFFERENCE})`);
}
async function flattened(page, now) {
  const { width, height, palette, points } = await page.evaluate(
    `(async (now) => {
      ${READ}
      const { width, height, data } = await read(now);
      const colours = new Uint32Array(data.buffer);
      const counts = new Map();
      for (let at = 0, from = 0; at < colours.length; at += 1) {
        if (colours[at] === colours[at + 1]) continue;
        counts.set(colours[at], (counts.get(colours[at]) ?? 0) + at + 1 - from);
        from = at + 1;
      }
      const apart = (one, other) => {
        const red = Math.abs((one & 255) - (other & 255));
        const green = Math.abs(((one >> 8) & 255) - ((other >> 8) & 255));
        return Math.max(red, green, Math.abs(((one >> 16) & 255) - ((other >> 16) & 255)));
      };
      const common = [...counts].sort((one, other) => other[1] - one[1]);
      const palette = [];
      const places = new Map();
      for (const [colour, count] of common) {
        // Grounds stay as they are; edges of letters take the shade that is there.
        let place = count * 400 > colours.length ? -1 : palette.findIndex((known) => apart(known, colour) <= ${MOST_FLATTENED});
        if (place === -1 && palette.length < 256) place = palette.push(colour) - 1;
        if (place === -1) place = palette.reduce((best, known, at) => apart(known, colour) < apart(palette[best], colour) ? at : best, 0);
        places.set(colour, place);
      }
      const points = new Uint8Array(colours.length);
      for (let at = 0; at < points.length; at += 1) {
        points[at] = colours[at] === colours[at - 1] ? points[at - 1] : places.get(colours[at]);
      }
      const bytes = new Uint8Array(palette.flatMap((colour) => [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255]));
      return { width, height, palette: await toAddress(new Blob([bytes])), points: await toAddress(new Blob([points])) };
    })(${JSON.stringify(now)})`
  );
  return toPng({ width, height, palette: bytesOf(palette), points: bytesOf(points) });
}
var READ = `
  const read = async (address) => {
    const bitmap = await createImageBitmap(await (await fetch(address)).blob());
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d', { willReadFrequently: true });
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, bitmap.width, bitmap.height);
  };
  const toAddress = (blob) =>
    new Promise((resolve) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result);
      reader.readAsDataURL(blob);
    });`;
async function fontsOf(page) {
  const drawn = await page.evaluate(`(() => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [600, 80];
    const context = canvas.getContext('2d');
    context.font = '20px system-ui, sans-serif';
    context.fillText('Handgloves 0123456789 \u2713\u2717\u25B8\u25CF \xC4\xDF', 4, 30);
    context.font = '20px ui-monospace, Menlo, Consolas, monospace';
    context.fillText('Handgloves 0123456789 {}()', 4, 65);
    return canvas.toDataURL();
  })()`);
  return createHash("sha256").update(drawn).digest("hex").slice(0, 6);
}
function addressOf(png) {
  return `data:image/png;base64,${png.toString("base64")}`;
}
function bytesOf(address) {
  return Buffer.from(address.slice(address.indexOf(",") + 1), "base64");
}

// test/doors/console/axe.ts
import axe from "axe-core";
async function findings(page) {
  await page.evaluate(axe.source);
  const found = await page.evaluate(`axe.run(document).then(({ violations }) =>
    violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => [id, help, html, failureSummary].join(' | '))))`);
  return found;
}

// src/doors/api/page.ts
import { readFile as readFile2 } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join as join3 } from "node:path";
import { compress } from "hono/compress";
import { etag } from "hono/etag";
import { Hono } from "hono/tiny";

// src/places/aws/variables.ts
var PAGE_PATHS = [
  "/",
  "/console.js",
  "/console.css",
  "/console-config.json",
  "/chunks/:file"
];

// src/places/local/workspace/file-fault.ts
function isMissing(error2) {
  return codeOf(error2) === "ENOENT";
}
function codeOf(error2) {
  return error2 instanceof Error && "code" in error2 && typeof error2.code === "string" ? error2.code : void 0;
}

// src/doors/api/problem.ts
import * as v from "valibot";
var TITLES = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway"
};
var ProblemDetails = v.object({
  type: v.literal("about:blank"),
  title: v.string(),
  status: v.pipe(v.number(), v.integer()),
  detail: v.string(),
  errors: v.exactOptional(
    v.pipe(
      v.array(v.object({ field: v.string(), detail: v.string() })),
      v.description("What is wrong with the request, for each key of the body, parameter or header.")
    )
  ),
  id: v.exactOptional(v.pipe(v.string(), v.description("The id under which the log has the details.")))
});
var Problem = class extends Error {
  constructor(status, detail, errors = []) {
    super(detail);
    this.status = status;
    this.errors = errors;
  }
  status;
  errors;
  name = "Problem";
};
function toResponse({ status, message, errors }, more = {}) {
  const details = {
    type: "about:blank",
    title: TITLES[status],
    status,
    detail: message,
    ...errors.length > 0 && { errors },
    ...more.id !== void 0 && { id: more.id }
  };
  const headers = {
    ...more.headers,
    // RFC 9110, 11.6.1
    ...status === 401 && { "www-authenticate": "Bearer" },
    "content-type": "application/problem+json",
    "cache-control": "no-store"
  };
  return new Response(JSON.stringify(details), { status, headers });
}

// src/doors/api/page.ts
var CHUNK = /^\/chunks\/[\w-]+\.js$/;
var TYPES = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8"
};
function createPage({ folder = builtPage(), connect = [], config = {} }) {
  const headers = {
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `connect-src ${["'self'", ...connect].join(" ")}`,
      "img-src 'self' data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'"
    ].join("; "),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache"
  };
  const read = async (file) => {
    try {
      return await readFile2(join3(folder, file));
    } catch (error2) {
      if (!isMissing(error2)) throw error2;
      const isNewer = file.startsWith("chunks/");
      throw new Problem(
        404,
        isNewer ? "the page is a newer one: reload it" : "the page is not built: npm run build"
      );
    }
  };
  const page = new Hono();
  page.onError(answerProblem);
  for (const path of PAGE_PATHS) {
    page.get(path, compress(), etag(), async (c) => {
      if (path === "/console-config.json") return c.json(config, 200, headers);
      const isChunk = CHUNK.test(c.req.path);
      if (c.req.path !== path && !isChunk) throw new Problem(404, "the page has no such file");
      const file = path === "/" ? "index.html" : c.req.path.slice(1);
      const type = TYPES[file.split(".")[1] ?? ""] ?? "";
      const cached = isChunk ? { "cache-control": "public, max-age=31536000, immutable" } : {};
      return c.body(await read(file), 200, { ...headers, ...cached, "content-type": type });
    });
  }
  return page;
}
function answerProblem(thrown) {
  if (thrown instanceof Problem) return toResponse(thrown);
  throw thrown;
}
function builtPage() {
  return join3(dirname(createRequire(import.meta.url).resolve("cadre/package.json")), "dist/console");
}

// test/doors/console/pictures/answers.ts
import * as v7 from "valibot";

// src/core/reports/run-schemas.ts
import * as v3 from "valibot";

// src/core/records/times.ts
var LONGEST_TIMER_MS = 2 ** 31 - 1;

// src/core/records/call.ts
var CALL_FAILURES = ["refused", "permission_denied", "timeout", "outcome_unknown", "fault"];

// src/core/records/spans.ts
var SPAN_KINDS = ["own", "model", "tool", "agents", "messages", "person", "idle", "gap"];

// src/core/records/message.ts
var REASONING_EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
var OPENAI_APIS = ["chat", "responses"];

// src/core/records/question.ts
var DECISIONS = ["approve", "deny", "always"];

// src/core/reports/run-status.ts
import * as v2 from "valibot";
var RunStatus = v2.picklist([
  "running",
  "idle",
  "succeeded",
  "budget_exceeded",
  "failed",
  "timed_out",
  "stopped",
  "interrupted"
]);

// src/core/records/phase.ts
var AT_WORK = phases(
  "starting",
  "opening",
  "working",
  "waiting_person",
  "waiting_mail",
  "waiting_agents",
  "waiting_batch",
  "closing"
);
var UNDER_WAY = phases(...AT_WORK, "resting");
var OPEN = phases(...UNDER_WAY, "idle");
var ANSWERED = phases("answered", "limited");
var AT_REST = phases(...ANSWERED, "resting", "idle");
var DEAD = phases("failed", "stopped", "killed");
var GONE = phases("killed");
var ENDED = phases(...ANSWERED, "failed", "killed");
function phases(...named) {
  return new Set(named);
}

// src/core/records/run.ts
var INCOMPLETE = {
  max_tokens: "the answer was cut at its limit of tokens",
  refusal: "the model refused to answer"
};

// src/core/reports/way-on.ts
var WAYS_ON = [
  /** It has its answer or is at work, or nothing brings it on. */
  "none",
  /** It was killed. */
  "gone",
  "resume",
  /** The same of a run below the top: trees are resumed as a whole. */
  "resume_tree",
  "resume_with_key",
  "resume_with_model",
  /** Resuming its tree would leave it as it is: it has failed below the top. */
  "send",
  /** Its answer was cut at its limit of tokens. */
  "send_for_rest",
  "send_with_tokens",
  "send_with_dollars"
];
var FAULTS = [
  { message: /^(unsupported provider|invalid model format) "/, way: "resume_with_model" },
  { message: /^max_usd cannot be enforced: the price of /, way: "resume_with_model" },
  { message: new RegExp(`^${INCOMPLETE.refusal}$`), way: "resume_with_model" },
  // Turns stay counted, and deleted records deleted.
  { message: /^agent exceeded maximum conversation turns /, way: "none" },
  { message: / has been deleted$/, way: "none" }
];

// src/core/reports/run-schemas.ts
var Count = v3.pipe(v3.number(), v3.integer(), v3.minValue(0));
var CallReference = v3.pipe(
  v3.object({ run: v3.string(), turn: Count, call: Count }),
  v3.description("The call that started this run. Turns and calls count from 1.")
);
var Status = v3.pipe(RunStatus, v3.description("`interrupted`: it has not ended, and its process is gone."));
var cost = {
  usd: v3.pipe(
    v3.nullable(v3.number()),
    v3.description("The cost of its models in dollars; null if a price is not known.")
  ),
  cache_read_tokens: v3.pipe(
    Count,
    v3.description("Those of the input tokens that were read from a provider's cache.")
  ),
  cache_write_tokens: v3.pipe(
    Count,
    v3.description("Those of the input tokens that were written to a provider's cache.")
  )
};
var error = v3.exactOptional(
  v3.pipe(v3.string(), v3.description("Why it did not succeed, or passed over messages of other agents."))
);
var incomplete = v3.exactOptional(
  v3.pipe(
    v3.picklist(["max_tokens", "refusal"]),
    v3.description(
      "Why its answer is not whole: it was cut at its limit of tokens, or refused. Absent: it is."
    )
  )
);
var since = v3.pipe(v3.string(), v3.isoTimestamp());
var Wait = v3.variant("for", [
  v3.object({ for: v3.pipe(v3.literal("model"), v3.description("The next answer of its model.")), since }),
  v3.object({ for: v3.pipe(v3.literal("agents"), v3.description("Runs below it.")), since }),
  v3.object({
    for: v3.pipe(v3.literal("tool"), v3.description("The result of a tool.")),
    since,
    tool: v3.string(),
    subject: v3.pipe(v3.string(), v3.description("A path, a command or an address; empty if there is none."))
  }),
  v3.object({
    for: v3.pipe(v3.literal("person"), v3.description("An answer, or an approval of a call.")),
    since,
    question_id: v3.string(),
    question: v3.string(),
    tool: v3.exactOptional(v3.pipe(v3.string(), v3.description("The tool whose call waits for approval.")))
  }),
  v3.object({
    for: v3.pipe(v3.literal("messages"), v3.description("Messages of other agents, or their ends.")),
    since,
    from: v3.exactOptional(v3.array(v3.string()))
  })
]);
var times = v3.exactOptional(
  v3.pipe(
    v3.object({
      own: v3.pipe(Count, v3.description("Its own work, such as reading its conversation.")),
      model: v3.pipe(Count, v3.description("Answers of its model, with the waits of requests that failed.")),
      tool: v3.pipe(Count, v3.description("Results of tools.")),
      agents: v3.pipe(Count, v3.description("Runs below it.")),
      messages: v3.pipe(Count, v3.description("Messages of other agents.")),
      person: v3.pipe(Count, v3.description("Answers and approvals of people.")),
      idle: v3.pipe(Count, v3.description("It had answered, and was not written to yet.")),
      gap: v3.pipe(
        Count,
        v3.description("Nothing carried it: it had ended otherwise, or its process was gone.")
      )
    }),
    v3.description(
      "How it spent its time, in milliseconds: all of it since its start, but for what it does at this moment. Without `idle` and `gap` they are its duration. Absent: not known."
    )
  )
);
var spans = v3.exactOptional(
  v3.pipe(
    v3.array(v3.tuple([v3.picklist(SPAN_KINDS), v3.nullable(Count)])),
    v3.description(
      "The same as a sequence of kinds and milliseconds, each from the end of the one before, and the first from its start; `null`: it has not ended. Short ones are joined to their neighbours. Only in a tree; absent: not known."
    )
  )
);
var FoundWords = v3.object({
  run_id: v3.pipe(v3.string(), v3.description("The run of the tree that most of them are in.")),
  turn: v3.exactOptional(v3.pipe(Count, v3.description("Absent: in its task, a tag or an error."))),
  text: v3.pipe(v3.string(), v3.description("The text around the first of them."))
});
var RunOverview = v3.object({
  run_id: v3.string(),
  agent: v3.string(),
  status: Status,
  model: v3.pipe(v3.string(), v3.description("`provider/model-name`; empty if the agent could not be loaded.")),
  version: v3.exactOptional(
    v3.pipe(
      v3.string(),
      v3.regex(/^[0-9a-f]{12}$/),
      v3.description(
        "A digest of what shaped it apart from its task: its agent's settings, model, prompt and tools. A run that was derived from its caller has its caller's. Absent: it was not opened, or by an earlier release."
      )
    )
  ),
  depth: v3.pipe(Count, v3.description("0 at the top of a tree.")),
  parent: v3.exactOptional(CallReference),
  name: v3.exactOptional(
    v3.pipe(v3.string(), v3.description("What other agents of its tree call it; absent: as its agent."))
  ),
  derived_by: v3.exactOptional(
    v3.pipe(
      v3.string(),
      v3.description(
        "The tool that derived it from its caller; absent if it was opened from its agent's file."
      )
    )
  ),
  forked_from: v3.exactOptional(
    v3.pipe(
      v3.object({
        root: v3.pipe(v3.string(), v3.description("The run at the top of its tree.")),
        run_id: v3.string(),
        turn: Count
      }),
      v3.description(
        "The run whose conversation it takes up, as that was before this turn; absent: it began its own, or is a copy in the same tree."
      )
    )
  ),
  task: v3.pipe(v3.string(), v3.description("The beginning of what it was asked, in one line.")),
  tags: v3.exactOptional(
    v3.pipe(
      v3.record(v3.string(), v3.string()),
      v3.description("What its caller noted to find it by; only at the top of a tree. Absent: nothing.")
    )
  ),
  started_at: v3.pipe(v3.string(), v3.isoTimestamp()),
  ended_at: v3.pipe(v3.nullable(v3.pipe(v3.string(), v3.isoTimestamp())), v3.description("null while it runs.")),
  duration_ms: v3.pipe(
    v3.nullable(Count),
    v3.description(
      "How long it was worked on, without the time between its end and its being resumed; as far as is known, of one that is interrupted. null while it runs."
    )
  ),
  times,
  spans,
  turns: v3.pipe(
    Count,
    v3.description("Of the run alone, without the runs below it; the same applies to the next six.")
  ),
  tool_calls: Count,
  input_tokens: Count,
  output_tokens: Count,
  ...cost,
  failed_calls: v3.pipe(Count, v3.description("Tool calls of the run alone whose results are errors.")),
  retries: v3.pipe(
    Count,
    v3.description("Requests of the run alone that were sent again because its model's API had failed.")
  ),
  error,
  incomplete,
  killed: v3.exactOptional(
    v3.pipe(
      v3.literal(true),
      v3.description(
        "It was killed, so nothing brings it back; its `status` is `stopped`. Absent: it was not."
      )
    )
  ),
  stopped_by: v3.exactOptional(
    v3.pipe(
      v3.string(),
      v3.description("Who stopped or killed it, where that is known: a person, or `the API`.")
    )
  ),
  resumed_by: v3.exactOptional(
    v3.pipe(v3.string(), v3.description("Who resumed it last, where that is known: a person, or `the API`."))
  ),
  way_on: v3.exactOptional(
    v3.pipe(
      v3.picklist(WAYS_ON),
      v3.description(
        "What brings it on where it has no whole answer: `gone` that nothing does. Absent: nothing has to, or nothing does."
      )
    )
  ),
  waits_for: v3.exactOptional(
    v3.pipe(
      v3.array(Wait),
      v3.description("What it waits for; only where a tree is followed, and only while it runs.")
    )
  )
});
var TreeReport = v3.object({
  runs: Count,
  turns: Count,
  tool_calls: Count,
  input_tokens: Count,
  output_tokens: Count,
  ...cost
});
var output = v3.exactOptional(
  v3.pipe(
    v3.unknown(),
    v3.description(
      "The same as JSON, valid against the `[output]` schema of the agent; absent if it has none."
    )
  )
);
var RunReport = v3.object({
  model: v3.string(),
  content: v3.pipe(
    v3.string(),
    v3.description(
      "The last answer that the run gave, even if a later message failed; empty if it never gave one."
    )
  ),
  output,
  input_tokens: v3.pipe(
    Count,
    v3.description("Of the run's own turns; the same applies to `output_tokens` and `tool_calls`.")
  ),
  output_tokens: Count,
  stop_reason: v3.pipe(v3.string(), v3.description("The model's own word for why its last answer ended.")),
  duration_ms: Count,
  tool_calls: Count,
  run_id: v3.string(),
  status: Status,
  turns: Count,
  ...cost,
  error,
  incomplete,
  tree: TreeReport
});
var ApprovalReport = v3.object({
  run_id: v3.string(),
  agent: v3.string(),
  call: v3.pipe(v3.string(), v3.description("`t2c1`: the first call of the second turn.")),
  tool: v3.string(),
  decision: v3.pipe(v3.nullable(v3.picklist(DECISIONS)), v3.description("null: not decided yet.")),
  by: v3.exactOptional(v3.pipe(v3.string(), v3.description("Who decided, where that is known."))),
  reason: v3.exactOptional(v3.string()),
  arguments: v3.exactOptional(
    v3.pipe(
      v3.record(v3.string(), v3.unknown()),
      v3.description("With which it was approved, in place of what the model wrote.")
    )
  ),
  ended_at: v3.pipe(v3.nullable(v3.pipe(v3.string(), v3.isoTimestamp())), v3.description("null while it waits."))
});
var characters = v3.exactOptional(
  v3.pipe(Count, v3.description("Of the whole text, or of the arguments as JSON; absent if nothing is cut."))
);
var ToolCall = v3.object({
  id: v3.string(),
  name: v3.string(),
  arguments: v3.record(v3.string(), v3.unknown()),
  characters,
  run: v3.exactOptional(v3.pipe(v3.string(), v3.description("The run that the call started."))),
  approval: v3.exactOptional(ApprovalReport)
});
var ToolResult = v3.object({
  call_id: v3.string(),
  name: v3.string(),
  text: v3.string(),
  characters,
  is_error: v3.boolean(),
  failure: v3.exactOptional(
    v3.pipe(v3.picklist(CALL_FAILURES), v3.description("Why the call failed, where that is known."))
  ),
  duration_ms: v3.exactOptional(v3.pipe(Count, v3.description("How long the call took, where that is known.")))
});
var TurnReport = v3.pipe(
  v3.object({
    number: Count,
    finished_at: v3.pipe(v3.string(), v3.isoTimestamp()),
    duration_ms: v3.pipe(Count, v3.description("How long the model took.")),
    input_tokens: Count,
    output_tokens: Count,
    ...cost
  }),
  v3.description("The turn that the answer was given in; absent if it was inherited.")
);
var RunSettings = v3.pipe(
  v3.object({
    model: v3.string(),
    temperature: v3.exactOptional(v3.pipe(v3.number(), v3.description("Absent: none is sent."))),
    max_tokens: Count,
    reasoning_effort: v3.exactOptional(v3.picklist(REASONING_EFFORTS)),
    tools: v3.pipe(v3.array(v3.string()), v3.description("The names of the tools that it is offered.")),
    mode: v3.exactOptional(v3.picklist(["auto", "ask", "plan"])),
    skill: v3.exactOptional(v3.string())
  }),
  v3.description("What the run was opened with; absent before that.")
);
var Captured = v3.pipe(
  v3.array(
    v3.object({
      text: v3.string(),
      characters,
      at: v3.pipe(v3.string(), v3.isoTimestamp()),
      fork: v3.exactOptional(v3.pipe(v3.string(), v3.description("The fork that was given it; absent: none."))),
      cancelled: v3.exactOptional(v3.literal(true))
    })
  ),
  v3.description("What people typed for forks in a chat, out of sight of the model; absent: nothing.")
);
var Conversation = v3.object({
  system: v3.pipe(v3.string(), v3.description("The system prompt, with skill and files.")),
  system_characters: characters,
  settings: v3.exactOptional(RunSettings),
  turns: v3.pipe(Count, v3.description("How many turns the whole conversation has.")),
  input_characters: v3.exactOptional(
    v3.pipe(
      Count,
      v3.description(
        "How many of its first message, at the end, are the text that the task is about: they stay where a fork from the first turn has another task. Absent: none."
      )
    )
  ),
  captured: v3.exactOptional(Captured),
  writing: v3.exactOptional(
    v3.pipe(
      v3.object({
        turn: Count,
        text: v3.string(),
        thinking: v3.exactOptional(v3.pipe(v3.string(), v3.description("The end of its thoughts so far.")))
      }),
      v3.description("The text so far of its model's next answer; only while a client watches.")
    )
  ),
  messages: v3.array(
    v3.variant("role", [
      v3.object({ role: v3.literal("user"), text: v3.string(), characters }),
      v3.object({
        role: v3.literal("assistant"),
        text: v3.string(),
        characters,
        calls: v3.array(ToolCall),
        turn: v3.exactOptional(TurnReport)
      }),
      v3.object({ role: v3.literal("tool"), results: v3.array(ToolResult) })
    ])
  )
});

// src/doors/api/answers.ts
import * as v6 from "valibot";

// src/core/reports/agent-report.ts
import * as v4 from "valibot";
var PERMISSIONS = ["allow", "ask", "deny"];
var ToolReport = v4.object({
  name: v4.string(),
  permission: v4.pipe(
    v4.picklist(PERMISSIONS),
    v4.description(
      "Of calls that no rule with a pattern is about: made at once, made once a person has approved them, or never: then the agent is not offered the tool."
    )
  ),
  rules: v4.exactOptional(
    v4.pipe(
      v4.array(v4.string()),
      v4.description("The rules with patterns that are about it, such as `ask run_command(git push *)`.")
    )
  ),
  writes: v4.pipe(v4.boolean(), v4.description("Whether its calls may change anything.")),
  description: v4.exactOptional(
    v4.pipe(v4.string(), v4.description("As its model reads it; only where one agent is read."))
  )
});
var CallReport = v4.object({
  agent: v4.pipe(v4.string(), v4.description("Itself where the tool makes copies of its caller.")),
  by: v4.pipe(
    v4.string(),
    v4.description("`call_agent`, `spawn_agent`, `delegate_task`, `sub_agent` or `fork`.")
  )
});
var Limit = (description7) => v4.exactOptional(v4.pipe(v4.number(), v4.description(`${description7} Absent: no limit.`)));
var LimitReport = v4.object({
  timeout: v4.pipe(v4.number(), v4.description("Seconds for a whole run.")),
  patience: Limit("Seconds that a run waits for people in all."),
  max_depth: v4.pipe(v4.number(), v4.description("Levels of agents below a run of it.")),
  parallel: v4.pipe(v4.boolean(), v4.description("Whether its sub-agents work side by side.")),
  sub_agent_timeout: Limit("Seconds for each of its sub-agents."),
  max_answer_tokens: Limit("Tokens of one answer."),
  max_tokens: Limit("Tokens of a run with all below it."),
  max_usd: Limit("Dollars of a run with all below it."),
  max_turns: Limit("Turns of a run with all below it."),
  max_tool_calls: Limit("Tool calls of a run with all below it."),
  copies: v4.exactOptional(
    v4.pipe(
      v4.object({
        max_depth: v4.number(),
        max_concurrent: v4.number(),
        max_tool_calls: v4.number(),
        max_tokens: v4.number(),
        timeout_ms: v4.number(),
        hard_stop_at: v4.number()
      }),
      v4.description("Of copies of itself that it starts, as `[sub_agent]` has them. Absent: it starts none.")
    )
  )
});
var Amount = v4.object({
  runs: v4.number(),
  turns: v4.number(),
  calls: v4.number(),
  tool_calls: v4.number(),
  approvals: v4.number(),
  transitions: v4.number(),
  events: v4.number(),
  state_bytes: v4.number(),
  usd_per_1000_runs: v4.pipe(
    v4.record(v4.string(), v4.number()),
    v4.description("By service, and `total`; without the models' tokens.")
  )
});
var PlanReport = v4.object({
  agent: v4.string(),
  model: v4.string(),
  models: v4.array(
    v4.object({
      model: v4.string(),
      usd_per_million_tokens: v4.nullable(v4.object({ input: v4.number(), output: v4.number() }))
    })
  ),
  sub_agents: v4.array(v4.string()),
  copies: v4.array(v4.object({ agent: v4.string(), by: v4.string(), depth: v4.number(), at_once: v4.number() })),
  too_deep: v4.array(v4.string()),
  cycles: v4.array(v4.array(v4.string())),
  depth: v4.number(),
  max_depth: v4.number(),
  turns_at_once: v4.number(),
  expected_turns_at_once: v4.number(),
  expected: Amount,
  run_at_most: Amount,
  tree_at_most: Amount,
  problems: v4.array(v4.string()),
  warnings: v4.array(v4.string())
});

// src/core/reports/cost-report.ts
import * as v5 from "valibot";
var Count2 = v5.pipe(v5.number(), v5.integer(), v5.minValue(0));
var CostRow = v5.object({
  day: v5.exactOptional(v5.pipe(v5.string(), v5.isoDate(), v5.description("In UTC, that of the turns."))),
  agent: v5.exactOptional(v5.string()),
  model: v5.exactOptional(v5.string()),
  owner: v5.exactOptional(v5.string()),
  version: v5.exactOptional(v5.string()),
  runs: v5.pipe(Count2, v5.description("That began then, each counted once; a sub-agent is a run, too.")),
  trees: v5.pipe(Count2, v5.description("Those of them at the top of a tree.")),
  succeeded: v5.pipe(Count2, v5.description("Of the runs.")),
  failed: v5.pipe(Count2, v5.description("Of the runs: failed, or out of time.")),
  tokens: v5.pipe(Count2, v5.description("Read and written.")),
  usd: v5.pipe(v5.number(), v5.description("Dollars, as far as prices are known.")),
  unpriced: v5.exactOptional(
    v5.pipe(Count2, v5.description("Runs of whose turns no price is known. Absent: none."))
  )
});

// src/doors/api/answers.ts
var Agent = v6.object({
  name: v6.string(),
  description: v6.string(),
  model: v6.string(),
  timeout: v6.pipe(v6.number(), v6.description("Seconds for a whole run; 0 means the caller's.")),
  sub_agents: v6.array(v6.string()),
  sub_agents_config: v6.object({
    max_depth: v6.number(),
    parallel: v6.boolean(),
    timeout: v6.pipe(v6.number(), v6.description("Seconds for each; 0 means what is left of the run."))
  }),
  params: v6.object({
    temperature: v6.exactOptional(v6.pipe(v6.number(), v6.description("Absent: none is sent."))),
    max_tokens: v6.number(),
    reasoning_effort: v6.exactOptional(v6.picklist(REASONING_EFFORTS)),
    api: v6.exactOptional(v6.picklist(OPENAI_APIS))
  }),
  budget: v6.pipe(
    v6.object({
      max_tokens: v6.number(),
      max_usd: v6.number(),
      max_turns: v6.number(),
      max_tool_calls: v6.number()
    }),
    v6.description("For a run with everything below it; 0 means no limit.")
  ),
  schedule: v6.exactOptional(
    v6.object({
      expression: v6.string(),
      timezone: v6.string(),
      enabled: v6.boolean(),
      next: v6.pipe(
        v6.nullable(v6.pipe(v6.string(), v6.isoTimestamp())),
        v6.description("When it comes due next; null: never.")
      )
    })
  ),
  tools: v6.pipe(
    v6.array(ToolReport),
    v6.description("By name; in a list of agents without the tools of servers, and without descriptions.")
  ),
  calls: v6.pipe(v6.array(CallReport), v6.description("The agents that it may call."))
});
var AgentList = v6.object({
  agents: v6.array(Agent),
  faults: v6.pipe(
    v6.array(v6.object({ agent: v6.string(), detail: v6.string() })),
    v6.description("Agents whose files are wrong, and what is wrong with them.")
  )
});
var Link = v6.object({
  url: v6.pipe(
    v6.string(),
    v6.url(),
    v6.description(
      "Takes a GET: in an account without a signature, elsewhere with the same headers as other requests."
    )
  ),
  bytes: v6.pipe(v6.number(), v6.integer()),
  expires_at: v6.pipe(v6.string(), v6.isoTimestamp())
});
var AgentDetails = v6.object({
  ...Agent.entries,
  file: v6.exactOptional(
    v6.pipe(
      v6.string(),
      v6.description(
        "Its file, as its author wrote it. Absent for callers with a JWT, and where it was not deployed."
      )
    )
  ),
  version: v6.pipe(
    v6.nullable(v6.string()),
    v6.description("That a run begun now would have; null if none would begin: see `fault`.")
  ),
  prompt: v6.pipe(
    v6.nullable(v6.string()),
    v6.description(
      "The system prompt that a run would begin with, with skill and files and without its memory; null if none would begin, or it is too long: see `prompt_link`."
    )
  ),
  prompt_link: v6.exactOptional(Link),
  fault: v6.exactOptional(v6.pipe(v6.string(), v6.description("Why no run of it would begin."))),
  skill: v6.exactOptional(v6.string()),
  files: v6.pipe(v6.array(v6.string()), v6.description("Paths of the files in the prompt, below its workdir.")),
  servers: v6.pipe(
    v6.array(v6.string()),
    v6.description("Names of its servers of tools. They are not asked: `tools` has what they offered last.")
  ),
  remembers: v6.pipe(v6.boolean(), v6.description("Whether entries of its memory follow the prompt.")),
  limits: LimitReport,
  plan: PlanReport
});
var Health = v6.object({ ok: v6.literal(true), version: v6.string() });
var Question = v6.object({
  run_id: v6.pipe(v6.string(), v6.description("The run that asks.")),
  root: v6.pipe(v6.string(), v6.description("The run at the top of its tree.")),
  agent: v6.string(),
  question_id: v6.string(),
  question: v6.string(),
  choices: v6.pipe(
    v6.array(v6.string()),
    v6.description(
      "Answers to choose from; any other text is an answer too, but to an approval only `deny` and a reason."
    )
  ),
  tool: v6.exactOptional(
    v6.pipe(v6.string(), v6.description("The tool whose call waits for approval; absent where the agent asks."))
  ),
  arguments: v6.exactOptional(
    v6.pipe(
      v6.record(v6.string(), v6.unknown()),
      v6.description("Of that call, as the model wrote them; long texts are cut.")
    )
  ),
  asked_at: v6.pipe(v6.string(), v6.isoTimestamp()),
  expires_at: v6.pipe(
    v6.nullable(v6.pipe(v6.string(), v6.isoTimestamp())),
    v6.description("When the agent goes on without an answer.")
  )
});
var QuestionDetails = v6.object({
  ...Question.entries,
  arguments: v6.exactOptional(
    v6.pipe(
      v6.record(v6.string(), v6.unknown()),
      v6.description("Of the call that waits for approval, whole, as the model wrote them.")
    )
  ),
  parameters: v6.exactOptional(
    v6.pipe(
      v6.record(v6.string(), v6.unknown()),
      v6.description("The JSON Schema of the arguments that the tool takes.")
    )
  ),
  ended: v6.exactOptional(
    v6.pipe(
      v6.object({
        at: v6.pipe(v6.string(), v6.isoTimestamp()),
        answer: v6.exactOptional(v6.pipe(v6.string(), v6.description("Absent: none came in time."))),
        by: v6.exactOptional(v6.pipe(v6.string(), v6.description("Who answered, where that is known.")))
      }),
      v6.description("Absent while it is open.")
    )
  )
});
var Budget = v6.pipe(
  v6.object({
    max_tokens: v6.exactOptional(v6.number()),
    max_usd: v6.exactOptional(v6.number()),
    max_turns: v6.exactOptional(v6.number()),
    max_tool_calls: v6.exactOptional(v6.number())
  }),
  v6.description(
    "What the whole tree may spend, with everything that was added to it; what has no limit is absent."
  )
);
var RunResource = v6.object({
  ...RunOverview.entries,
  tree: TreeReport,
  execution_url: v6.exactOptional(
    v6.pipe(
      v6.string(),
      v6.url(),
      v6.description("Its execution in the console of Step Functions; absent for runs of `cadre serve`.")
    )
  )
});
var ListedRun = v6.object({
  ...RunResource.entries,
  found: v6.exactOptional(
    v6.pipe(FoundWords, v6.description("Where the words are that were looked for; absent if none were."))
  )
});
var Costs = v6.object({
  rows: v6.array(CostRow),
  next: v6.pipe(
    v6.nullable(v6.string()),
    v6.description(
      "The day to go on with, as `until`: so many days were too much for one answer. null: it is all."
    )
  )
});
var RunList = v6.object({
  runs: v6.array(ListedRun),
  next: v6.pipe(v6.nullable(v6.string()), v6.description("For `after`; null on the last page."))
});
var RunTree = v6.object({
  ...RunResource.entries,
  runs: v6.pipe(
    v6.nullable(v6.array(RunOverview)),
    v6.description("The run and all runs below it; null if they are too many: see `runs_link`.")
  ),
  runs_link: v6.exactOptional(Link),
  budget: v6.exactOptional(Budget),
  open_questions: v6.pipe(
    v6.array(Question),
    v6.description("What agents of the tree ask people at this moment.")
  )
});
var RunMessages = v6.union([
  Conversation,
  v6.pipe(
    v6.object({ conversation_link: Link }),
    v6.description("A conversation that is too long for an answer.")
  )
]);
var RunResult = v6.object({
  ...RunReport.entries,
  content: v6.pipe(
    v6.nullable(v6.string()),
    v6.description(
      "The last answer that the run gave, even if a later message failed; empty if it never gave one, and null if it is too long: see `content_link`."
    )
  ),
  content_link: v6.exactOptional(Link)
});
var QuestionList = v6.object({ questions: v6.array(Question) });
var GivenAnswer = v6.object({
  run_id: v6.string(),
  question_id: v6.string(),
  answer: v6.string(),
  answered_at: v6.pipe(v6.string(), v6.isoTimestamp())
});

// test/doors/console/pictures/answers.ts
var NOW = Date.parse("2026-03-12T10:24:00Z");
var ago = (seconds) => new Date(NOW - seconds * 1e3).toISOString();
function anOverview(agent2, over3 = {}) {
  return v7.parse(RunOverview, {
    run_id: `${agent2}-19ce1f3a2b7c41`,
    agent: agent2,
    status: "succeeded",
    model: "anthropic/claude-sonnet-5-5",
    version: "3f9a0c51d2e7",
    depth: 0,
    task: "Review the change to payments and say what is wrong with it",
    started_at: ago(600),
    ended_at: ago(455),
    duration_ms: 145e3,
    times: {
      own: 2e3,
      model: 61e3,
      tool: 12e3,
      agents: 7e4,
      messages: 0,
      person: 0,
      idle: 0,
      gap: 0
    },
    spans: [
      ["own", 1e3],
      ["model", 3e4],
      ["agents", 7e4],
      ["tool", 12e3],
      ["model", 31e3],
      ["own", 1e3]
    ],
    turns: 3,
    tool_calls: 6,
    input_tokens: 18400,
    output_tokens: 1530,
    cache_read_tokens: 6e3,
    cache_write_tokens: 0,
    usd: 0.0782,
    failed_calls: 0,
    retries: 0,
    ...over3
  });
}
function below(parent, agent2, call2, over3 = {}) {
  return anOverview(agent2, {
    run_id: `${agent2}-19ce1f3a2b7c41-${parent.depth === 0 ? "" : `t1c1_`}t1c${call2}`,
    depth: parent.depth + 1,
    parent: { run: parent.run_id, turn: 1, call: call2 },
    task: `Look at the change to payments from the side of ${agent2}`,
    started_at: ago(569),
    ended_at: ago(499),
    duration_ms: 7e4,
    times: { own: 1e3, model: 52e3, tool: 17e3, agents: 0, messages: 0, person: 0, idle: 0, gap: 0 },
    spans: [
      ["model", 2e4],
      ["tool", 17e3],
      ["model", 33e3]
    ],
    turns: 2,
    tool_calls: 1,
    input_tokens: 4100,
    output_tokens: 380,
    usd: 0.0181,
    ...over3
  });
}
function reportOf(runs3) {
  const sum = (valueOf) => runs3.reduce((total, run) => total + valueOf(run), 0);
  return {
    runs: runs3.length,
    turns: sum((run) => run.turns),
    tool_calls: sum((run) => run.tool_calls),
    input_tokens: sum((run) => run.input_tokens),
    output_tokens: sum((run) => run.output_tokens),
    cache_read_tokens: sum((run) => run.cache_read_tokens),
    cache_write_tokens: sum((run) => run.cache_write_tokens),
    usd: Math.round(sum((run) => run.usd ?? 0) * 1e6) / 1e6
  };
}
function listed(top2, over3 = {}) {
  const { spans: _spans, ...rest } = top2;
  return v7.parse(ListedRun, { ...rest, tree: reportOf([top2]), ...over3 });
}
function listOf(...runs3) {
  return { runs: runs3, next: null };
}
function treeOf(runs3, over3 = {}) {
  return v7.parse(RunTree, { ...runs3[0], tree: reportOf(runs3), runs: [...runs3], open_questions: [], ...over3 });
}
function aQuestion(over3 = {}) {
  const run = "review-19ce1f3a2b7c41";
  return v7.parse(Question, {
    run_id: run,
    root: run,
    agent: "review",
    question_id: "t2c1",
    question: "Which of the two services may be restarted first?",
    choices: ["billing", "search", "Neither"],
    asked_at: ago(95),
    expires_at: new Date(NOW + 1705e3).toISOString(),
    ...over3
  });
}
function questionsOf(...questions) {
  return { questions };
}
function said(messages, over3 = {}) {
  return v7.parse(Conversation, {
    system: "You review changes to code. Be brief, and name the line.",
    settings: {
      model: "anthropic/claude-sonnet-5-5",
      temperature: 0.2,
      max_tokens: 8192,
      tools: ["read_file", "edit_file", "call_agent"]
    },
    turns: messages.filter(({ role }) => role === "assistant").length,
    messages,
    ...over3
  });
}
function asks(text) {
  return { role: "user", text };
}
function answers(number6, text, ...calls) {
  return {
    role: "assistant",
    text,
    calls,
    turn: {
      number: number6,
      finished_at: ago(560 - 40 * number6),
      duration_ms: 20400 + 1300 * number6,
      input_tokens: 4200 + 1900 * number6,
      output_tokens: 310,
      usd: 0.0174,
      cache_read_tokens: 2e3,
      cache_write_tokens: 0
    }
  };
}
function call(id, name, args, over3 = {}) {
  return { id, name, arguments: args, ...over3 };
}
function result(id, name, text, over3 = {}) {
  return { call_id: id, name, text, is_error: false, duration_ms: 840, ...over3 };
}
function results(...all) {
  return { role: "tool", results: all };
}
function anAgent(name, over3 = {}) {
  return v7.parse(Agent, {
    name,
    description: `Looks at changes from the side of ${name}`,
    model: "anthropic/claude-sonnet-5-5",
    timeout: 600,
    sub_agents: [],
    sub_agents_config: { max_depth: 3, parallel: true, timeout: 0 },
    params: { temperature: 0.2, max_tokens: 8192 },
    budget: { max_tokens: 2e5, max_usd: 2, max_turns: 0, max_tool_calls: 0 },
    tools: [
      { name: "read_file", permission: "allow", writes: false },
      { name: "edit_file", permission: "ask", writes: true },
      { name: "run_command", permission: "deny", writes: true }
    ],
    calls: [],
    ...over3
  });
}
function agentsOf(...agents3) {
  return { agents: agents3, faults: [] };
}
function calling(...names2) {
  return { sub_agents: names2, calls: names2.map((agent2) => ({ agent: agent2, by: "call_agent" })) };
}
function detailsOf(agent2, over3 = {}) {
  const amount = {
    runs: 1,
    turns: 4,
    calls: 2,
    tool_calls: 6,
    approvals: 1,
    transitions: 58,
    events: 240,
    state_bytes: 2100,
    usd_per_1000_runs: { "Step Functions": 1.45, Lambda: 0.61, DynamoDB: 0.22, total: 2.28 }
  };
  return v7.parse(AgentDetails, {
    ...agent2,
    tools: agent2.tools.map((tool) => ({
      ...tool,
      description: `What ${tool.name} does, as its model reads it.`
    })),
    file: `description = "${agent2.description}"
model = "${agent2.model}"
tools = ["read_file", "edit_file"]

[permissions]
ask = ["edit_file"]
`,
    version: "3f9a0c51d2e7",
    prompt: "You review changes to code. Be brief, and name the line.\n\nSay what is wrong first.",
    files: ["CONTRIBUTING.md"],
    servers: [],
    remembers: false,
    limits: {
      timeout: 600,
      max_depth: 3,
      parallel: true,
      max_answer_tokens: 8192,
      max_tokens: 2e5,
      max_usd: 2
    },
    plan: {
      agent: agent2.name,
      model: agent2.model,
      models: [{ model: agent2.model, usd_per_million_tokens: { input: 3, output: 15 } }],
      sub_agents: agent2.sub_agents,
      copies: [],
      too_deep: [],
      cycles: [],
      depth: 2,
      max_depth: 3,
      turns_at_once: 5,
      expected_turns_at_once: 3,
      expected: amount,
      run_at_most: { ...amount, turns: 40, tool_calls: 160 },
      tree_at_most: { ...amount, runs: 21, turns: 840, calls: 20, tool_calls: 3360 },
      problems: [],
      warnings: []
    },
    ...over3
  });
}
function aPlace(over3 = {}) {
  const runs3 = listOf(
    listed(anOverview("review")),
    listed(
      anOverview("release", { task: "Write the notes of release 4.2", run_id: "release-19ce1f3a2b7c42" })
    )
  );
  return {
    agents: agentsOf(
      anAgent("review", {
        description: "Reviews a change from several sides",
        ...calling("security", "tests")
      }),
      anAgent("security"),
      anAgent("tests"),
      anAgent("release", { description: "Writes the notes of a release" })
    ),
    runs: runs3,
    questions: questionsOf(),
    ...over3
  };
}

// test/doors/console/pictures/draw.ts
var SIZES = [
  { width: 360, height: 740 },
  { width: 800, height: 900 },
  { width: 1440, height: 900 }
];
var WIDE = 1200;
var LOOKS = SIZES.flatMap(
  (size) => ["light", "dark"].map((theme) => ({ name: `${theme}-${size.width}`, theme, size }))
);
var MOST_HEIGHT = 1200;
var ORIGIN = "https://cadre.example";
var EMPTY = "/nothing-yet";
async function openStage(browser2, { theme, size }) {
  const context = await browser2.newContext({
    viewport: size,
    colorScheme: theme,
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC"
  });
  const page = await context.newPage();
  page.setDefaultTimeout(2e4);
  await page.clock.setFixedTime(NOW);
  let faults = [];
  page.on("pageerror", (error2) => faults.push(String(error2)));
  const server = await serve(context, (fault) => faults.push(fault));
  return {
    page,
    async show(scene) {
      server.answers = {};
      await page.goto(ORIGIN + EMPTY);
      const { local = {}, session: session2 = {} } = scene.kept ?? {};
      await page.evaluate(`for (const [storage, kept] of ${JSON.stringify([
        ["localStorage", local],
        ["sessionStorage", session2]
      ])}) {
        window[storage].clear();
        for (const [key, value] of Object.entries(kept)) window[storage].setItem(key, value);
      }`);
      faults = [];
      server.answers = scene.answers;
      await page.setViewportSize({ ...size, height: heightOf(scene, size) });
      await page.goto(`${ORIGIN}/${scene.at}`);
      if (typeof scene.until === "string")
        await page.getByText(scene.until).filter({ visible: true }).first().waitFor();
      else await scene.until(page);
      await server.settled(page);
      if (scene.act !== void 0) {
        await scene.act(page);
        await server.settled(page);
      }
      return faults;
    },
    async draw(scene) {
      const height = await page.evaluate("document.documentElement.scrollHeight");
      if (scene.isInSight !== true && height > heightOf(scene, size)) {
        await page.setViewportSize({ ...size, height: Math.min(height, MOST_HEIGHT) });
        await server.settled(page);
      }
      return page.screenshot({ animations: "disabled" });
    },
    close: () => context.close()
  };
}
function heightOf({ height = 0 }, size) {
  return size.width < WIDE ? size.height : Math.max(height, size.height);
}
async function serve(context, onFault) {
  const files = /* @__PURE__ */ new Map();
  const fileAt = (pathname) => {
    const known = files.get(pathname) ?? readFile3(pathname);
    files.set(pathname, known);
    return known;
  };
  const server = {
    answers: {},
    /** Waits until nothing is asked any more, and nothing changes in the page. */
    async settled(page) {
      let asked;
      do {
        asked = requests;
        await page.evaluate(UNCHANGED);
      } while (underWay > 0 || requests !== asked);
    }
  };
  let underWay = 0;
  let requests = 0;
  await context.route("**", async (route) => {
    const { pathname, search, origin } = new URL(route.request().url());
    if (origin !== ORIGIN) return onFault(`asked ${origin}`);
    const reply = replyTo(server.answers, pathname.slice(1), search);
    if (reply === "never") return;
    requests += 1;
    underWay += 1;
    try {
      if (pathname === EMPTY)
        await route.fulfill({ body: "<title>Nothing</title>", contentType: "text/html" });
      else if (reply !== void 0) await fulfil(route, pathname, reply);
      else if (pathname.endsWith("/events")) await route.fulfill({ status: 204 });
      else {
        const file = await fileAt(pathname);
        if (file.status === 404) onFault(`asked ${pathname}${search}`);
        await route.fulfill(file);
      }
    } finally {
      underWay -= 1;
    }
  });
  return server;
}
function replyTo(answers2, path, query) {
  const keys = Object.keys(answers2).filter((key) => key.includes("?") && (path + query).startsWith(key));
  return answers2[keys.toSorted((one, other) => other.length - one.length)[0] ?? path];
}
async function readFile3(pathname) {
  const response = await createPage({}).request(pathname);
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: Object.fromEntries(response.headers), body };
}
async function fulfil(route, pathname, reply) {
  if (reply === "lost") return route.abort();
  if (pathname.endsWith("/events")) {
    const body = `retry: 600000

id: 1
data: ${JSON.stringify(reply)}

`;
    return route.fulfill({ body, contentType: "text/event-stream" });
  }
  const status = typeof reply === "object" && "detail" in reply ? Number(Reflect.get(reply, "status")) : 200;
  return route.fulfill({ status, json: reply });
}
var UNCHANGED = `new Promise((resolve) => {
  let before;
  let same = 0;
  const look = () => {
    const now = document.body.innerHTML;
    same = now === before ? same + 1 : 0;
    before = now;
    if (same === 3) resolve(document.fonts.ready.then(() => undefined));
    else requestAnimationFrame(look);
  };
  look();
})`;

// test/doors/console/pictures/scenes/agents.ts
import * as v9 from "valibot";

// src/core/reports/change-report.ts
import * as v8 from "valibot";
var CHANGED_PARTS = ["model", "prompt", "tool", "permission", "setting"];
var Version = v8.pipe(
  v8.nullable(v8.string()),
  v8.description(
    "As in a run; null where there is none: it was opened by an earlier release, or cannot be opened."
  )
);
var Text = (description7) => v8.pipe(v8.nullable(v8.string()), v8.description(description7));
var Change = v8.object({
  part: v8.picklist(CHANGED_PARTS),
  name: v8.pipe(
    v8.string(),
    v8.description("Of the tool, the rule or the setting; of other parts, the part itself.")
  ),
  was: Text("When the run was opened: a text as it was, anything else as JSON; null: there was none."),
  is: Text("The same now; null: there is none.")
});
var ChangeReport = v8.object({
  run_id: v8.string(),
  agent: v8.string(),
  opened: v8.pipe(
    v8.string(),
    v8.description(
      "The run whose opening is compared: the run itself or, if it was derived, the one that it descends from."
    )
  ),
  version: Version,
  version_now: Version,
  fault: v8.exactOptional(
    v8.pipe(v8.string(), v8.description("Why no such run could begin now; then `changes` is empty."))
  ),
  changes: v8.pipe(
    v8.array(Change),
    v8.description("Empty if nothing has changed, and if only that has changed which no run keeps.")
  )
});

// test/doors/console/pictures/scenes/texts.ts
var MARKDOWN = `## One finding

The change charges a card **twice** when a request is repeated, see \`src/payments.ts\` and
[the provider's notes](https://example.com/idempotency).

| File | Line | Finding | Weight |
| --- | ---: | --- | --- |
| src/payments.ts | 14 | no idempotency key | high |
| src/refunds.ts | 203 | the amount is read as a float | middle |

1. Send a key with each charge:
   - made once, before the first attempt
   - kept with the order
2. Read amounts as whole cents.

> Keys are forgotten by the provider after a day.

\`\`\`ts
export async function pay(card: Card, amount: number): Promise<Receipt> {
  // The key stays the same however often this is tried.
  return charge(card, amount, { idempotencyKey: \`order-\${card.order}\` });
}
\`\`\`

- [x] payments
- [ ] refunds

Nothing else was found.`;
var LONG_WORD = "abcdefghij".repeat(1e5);
var LINE = "The service reads its queue, tries each message three times, and puts it aside after that. ";
var LONG = Array.from(
  { length: 60 },
  (_, index) => `### Step ${index + 1}

${LINE.repeat(4)}

\`\`\`
step ${index + 1}: ${"x".repeat(160)}
\`\`\``
).join("\n\n");
var HOSTILE = [
  '<script>alert(1)</script><img src=x onerror="alert(2)"><style>*{display:none}</style>',
  "approve \u202Eexe.tnemyap\u202C now",
  "pass\u200Bword\u2060s\uFEFF with \xADnothing between",
  "[Press me](javascript:alert(3)) [and me](data:text/html,<b>x</b>) ![seen](https://evil.example/pixel.png)",
  "Z\u0351\u036B\u0343\u036A\u0302\u036B\u033D\u034F\u0334\u0319\u0324\u031E\u0349\u035A\u032F\u031E\u0320\u034Da\u036B\u0357\u0334\u0362\u0335\u031C\u0330\u0354l",
  "| a | b |\n| --- | --- |\n| <b>bold</b> | `</td></tr></table>` |",
  "\x07\x1B[31mred\x1B[0m"
].join("\n\n");

// test/doors/console/pictures/scenes/agents.ts
var review = anAgent("review", {
  description: "Reviews a change from several sides",
  sub_agents: ["security", "tests"],
  calls: [...calling("security", "tests").calls, { agent: "review", by: "fork" }],
  tools: [
    { name: "call_agent", permission: "allow", writes: true },
    {
      name: "edit_file",
      permission: "ask",
      writes: true,
      rules: ["ask edit_file(src/**)", "deny edit_file(**/*.key)"]
    },
    { name: "read_file", permission: "allow", writes: false },
    { name: "run_command", permission: "deny", writes: true }
  ]
});
var few = agentsOf(
  review,
  anAgent("security", calling("dependencies")),
  anAgent("tests"),
  anAgent("dependencies", { description: "" }),
  anAgent("digest", {
    schedule: {
      expression: "cron(0 6 * * ? *)",
      timezone: "Europe/Berlin",
      enabled: true,
      next: ago(-66960)
    }
  })
);
var many = agentsOf(
  ...Array.from({ length: 100 }, (_, number6) => {
    const below2 = [number6 * 3 + 1, number6 * 3 + 2, number6 * 3 + 3].filter((each) => each < 100);
    const back = number6 > 40 && number6 % 13 === 0 ? [Math.floor(number6 / 9)] : [];
    return anAgent(`agent-${number6}`, calling(...[...below2, ...back].map((each) => `agent-${each}`)));
  })
);
var agents = (answers2, until) => ({
  at: "#/agents",
  answers: aPlace({ agents: few, ...answers2 }),
  until
});
var runs = listOf(
  ...[0, 1, 2, 3, 4, 5].map(
    (number6) => listed(
      anOverview("review", {
        run_id: `review-19ce1f3a2b7c5${number6}`,
        started_at: ago(600 + number6 * 4e4),
        status: number6 === 2 ? "failed" : "succeeded",
        version: number6 < 3 ? "3f9a0c51d2e7" : "77c0a1b2c3d4"
      })
    )
  )
);
var changes = v9.parse(ChangeReport, {
  run_id: "review-19ce1f3a2b7c53",
  agent: "review",
  opened: "review-19ce1f3a2b7c53",
  version: "77c0a1b2c3d4",
  version_now: "3f9a0c51d2e7",
  changes: [
    { part: "model", name: "model", was: "anthropic/claude-sonnet-4-5", is: "anthropic/claude-sonnet-5-5" },
    {
      part: "prompt",
      name: "prompt",
      was: "You review changes.\nBe brief.",
      is: "You review changes.\nBe brief, and name the line."
    },
    { part: "tool", name: "web_search", was: "{}", is: null }
  ]
});
var whole = {
  "agents/review": detailsOf(review),
  runs,
  costs: {
    rows: [
      { agent: "review", runs: 212, trees: 180, succeeded: 201, failed: 11, tokens: 431e4, usd: 16.58 }
    ],
    next: null
  },
  "runs/review-19ce1f3a2b7c53/changes": changes
};
var agent = (answers2, until, more = {}) => ({
  at: "#/agents/review",
  answers: aPlace({ agents: few, ...whole, ...answers2 }),
  until,
  ...more
});
var AGENTS = {
  "agents-few": agents({}, "dependencies"),
  "agents-100": { ...agents({ agents: many }, "agent-99"), isInSight: true },
  "agents-focused": {
    ...agents({}, "dependencies"),
    act: (page) => page.getByRole("button", { name: "Focus on security" }).click()
  },
  "agents-searched": {
    ...agents({}, "dependencies"),
    act: (page) => page.locator("main input[type=search]").fill("several sides")
  },
  "agents-empty": agents({ agents: agentsOf() }, "There is no agent here yet"),
  "agents-faults": agents(
    {
      agents: {
        ...few,
        faults: [
          {
            agent: "broken",
            detail: 'agents/broken.toml:3:9: unknown tool "read_fiel"; did you mean "read_file"?'
          }
        ]
      }
    },
    "unknown tool"
  ),
  "agents-loading": agents({ agents: "never" }, (page) => page.locator("main h1").waitFor()),
  "agents-failing": agents(
    { agents: { status: 500, detail: "the folder agents cannot be read" } },
    "cannot be read"
  ),
  "agent-whole": agent({}, "You review changes"),
  "agent-changes": agent({}, "You review changes", {
    act: (page) => page.getByRole("button", { name: "What has changed since" }).first().click()
  }),
  "agent-fault": agent(
    {
      "agents/review": detailsOf(review, {
        version: null,
        prompt: null,
        fault: 'agents/review.toml:3:9: there is no skill "reviewing" in skills/'
      })
    },
    "No run of it would begin now"
  ),
  "agent-in-an-account": agent(
    {
      "agents/review": (({ file: _file, ...rest }) => rest)(
        detailsOf(review, { prompt: LONG, servers: ["jira"], remembers: true })
      )
    },
    "Step 1"
  ),
  "agent-hostile": agent(
    {
      "agents/review": detailsOf({ ...review, description: HOSTILE }, { prompt: HOSTILE, file: HOSTILE }),
      runs: listOf()
    },
    "It has not run yet"
  ),
  "agent-not-found": agent(
    { "agents/review": { status: 404, detail: "there is no agent review" } },
    "there is no agent"
  ),
  "agent-loading": agent({ "agents/review": "never" }, (page) => page.locator("main h1").waitFor())
};

// test/doors/console/pictures/scenes/compare.ts
var A = "review-19ce1f3a2b7c41";
var B = "review-19ce1f3a2b7c42";
var begun = [
  asks("Review the change to payments"),
  answers(1, "I read it first.", call("a", "read_file", { path: "src/payments.ts" })),
  results(result("a", "read_file", "export async function pay() {}"))
];
var runs2 = {
  [`runs/${A}`]: listed(anOverview("review")),
  [`runs/${B}`]: listed(
    anOverview("review", {
      run_id: B,
      model: "openai/gpt-6",
      usd: 0.0311,
      duration_ms: 61e3,
      turns: 2,
      forked_from: { root: A, run_id: A, turn: 2 }
    })
  ),
  [`runs/${A}/messages`]: said([
    ...begun,
    answers(2, "", call("b", "run_command", { command: "npm test" })),
    results(result("b", "run_command", "212 passed")),
    answers(3, MARKDOWN)
  ]),
  [`runs/${B}/messages`]: said([
    ...begun,
    answers(2, MARKDOWN.replace("twice", "three times").slice(0, 900))
  ])
};
var compare = (over3 = {}) => ({
  at: `#/compare/${A}/${B}`,
  answers: aPlace(runs2),
  until: "Turn by turn",
  ...over3
});
var missing = { status: 404, detail: `there is no run ${B}` };
var COMPARE = {
  "compare-two": compare(),
  "compare-differences": compare({
    act: (page) => page.getByRole("button", { name: "Show what is different" }).click()
  }),
  "compare-one-missing": compare({
    answers: aPlace({ ...runs2, [`runs/${B}`]: missing, [`runs/${B}/messages`]: missing }),
    until: "there is no run"
  }),
  "compare-loading": compare({
    answers: aPlace({ ...runs2, [`runs/${B}`]: "never" }),
    until: (page) => page.locator("main h1").waitFor()
  })
};

// test/doors/console/pictures/scenes/run.ts
var TASK = "Review the change to payments and say what is wrong with it";
function aRun(runs3, messages, over3 = {}) {
  const [{ run_id: id }] = runs3;
  return aPlace({
    [`runs/${id}/tree`]: treeOf(runs3),
    ...Object.fromEntries(
      runs3.flatMap((run) => [
        [`runs/${run.run_id}`, listed(run)],
        [`runs/${run.run_id}/messages`, said([asks(run.task)])]
      ])
    ),
    [`runs/${id}/messages`]: messages,
    ...over3
  });
}
var NO_TIME = { own: 0, model: 0, tool: 0, agents: 0, messages: 0, person: 0, idle: 0, gap: 0 };
var OPEN2 = { ended_at: null, duration_ms: null };
function atWork(over3 = {}) {
  const now = over3.waits_for?.[0]?.for ?? "own";
  return anOverview("review", {
    status: "running",
    ...OPEN2,
    started_at: ago(94),
    turns: 1,
    times: { ...NO_TIME, own: 1e3, model: 32e3 },
    spans: [
      ["own", 1e3],
      ["model", 32e3],
      [now, null]
    ],
    ...over3
  });
}
var reviewers = [
  call("a", "call_agent", { agent: "security", prompt: "Look at it from the side of security" }),
  call("b", "call_agent", { agent: "tests", prompt: "Look at it from the side of tests" })
];
function aReview(over3 = {}) {
  const top2 = anOverview("review", over3);
  const security = below(top2, "security", 1);
  return [
    top2,
    security,
    below(security, "dependencies", 1, { ended_at: ago(520), duration_ms: 49e3, retries: 2 }),
    below(top2, "tests", 2, {
      status: "failed",
      error: "the provider answered 400: the prompt is too long",
      failed_calls: 1
    })
  ];
}
var reviewed = said([
  asks(TASK),
  answers(
    1,
    "Two reviewers look at it from two sides.",
    ...reviewers.map((each, index) => ({ ...each, run: aReview()[index === 0 ? 1 : 3].run_id }))
  ),
  results(
    result("a", "call_agent", "Repeated requests charge a card twice.", { duration_ms: 7e4 }),
    result("b", "call_agent", 'Error: sub-agent "tests" failed: the prompt is too long', { is_error: true })
  ),
  answers(
    2,
    "",
    call("c", "read_file", { path: "src/payments.ts" }),
    call("d", "edit_file", {
      path: "src/payments.ts",
      old_string: "  await charge(card, amount);\n",
      new_string: "  await charge(card, amount, { idempotencyKey });\n"
    })
  ),
  results(
    result(
      "c",
      "read_file",
      "export async function pay(card: Card, amount: number) {\n  await charge(card, amount);\n}\n"
    ),
    result("d", "edit_file", "Edited src/payments.ts")
  ),
  answers(3, MARKDOWN)
]);
var reading = (text) => async (page) => {
  await page.locator(".run [role=treeitem]").first().waitFor({ state: "attached" });
  const detail = page.locator(".run > .detail");
  if (!await detail.isVisible()) await page.getByRole("treeitem").first().click();
  await detail.getByText(text).filter({ visible: true }).first().waitFor();
};
var REVIEW = aReview()[0].run_id;
var at = `#/runs/${REVIEW}`;
function review2(over3 = {}) {
  return { at, answers: aRun(aReview(), reviewed), until: reading("One finding"), height: 1200, ...over3 };
}
function ended(over3, until) {
  const top2 = anOverview("review", { turns: 1, ...over3 });
  const messages = said([
    asks(TASK),
    answers(1, "I read the change first.", call("a", "read_file", { path: "src/payments.ts" }))
  ]);
  return { at, answers: aRun([top2], messages), until };
}
var approval = aQuestion({
  question_id: "t1c1",
  question: "May it change src/payments.ts?",
  choices: ["approve", "deny", "always"],
  tool: "edit_file",
  arguments: {
    path: "src/payments.ts",
    old_string: "charge(card, amount)",
    new_string: "charge(card, amount, { key })"
  }
});
var undecided = {
  run_id: REVIEW,
  agent: "review",
  call: "t1c1",
  tool: "edit_file",
  decision: null,
  ended_at: null
};
var waiting = (tool) => atWork({
  waits_for: [
    {
      for: "person",
      since: ago(61),
      question_id: "t1c1",
      question: "May it?",
      ...tool !== void 0 && { tool }
    }
  ]
});
function crowd() {
  const top2 = atWork({ started_at: ago(420), waits_for: [{ for: "agents", since: ago(400) }] });
  const all = [top2];
  for (let index = 1; index < 1e3; index++) {
    const isChild = index <= 9;
    const parent = isChild ? top2 : all[1 + index % 9];
    if (parent === void 0) continue;
    const isOpen = index % 3 === 0;
    all.push({
      ...below(parent, ["coder", "tester", "reviewer"][index % 3] ?? "coder", index),
      run_id: `worker${index}-19ce1f3a2b7c41`,
      started_at: ago(410 - index % 200),
      ...isOpen ? {
        ...OPEN2,
        status: "running",
        spans: [["model", null]],
        waits_for: [{ for: "model", since: ago(30) }]
      } : { ended_at: ago(330 - index % 200) },
      ...index % 97 === 1 && { status: "failed", error: "the provider answered 529: overloaded" }
    });
  }
  return all;
}
var nested = aReview({ task: HOSTILE.replaceAll("\n", " "), error: HOSTILE.slice(0, 300) });
var RUN = {
  "run-tree": review2({ until: (page) => page.getByText("dependencies").first().waitFor() }),
  "run-succeeded": review2(),
  "run-at-a-call": review2({ at: `${at}/t2c2`, until: reading("Edited src/payments.ts") }),
  "run-below": review2({
    at: `${at}/agents/${aReview()[3].run_id}`,
    until: reading("the prompt is too long")
  }),
  "run-turn-opened": review2({
    act: (page) => page.evaluate(
      `document.querySelectorAll('.turns .call details').forEach((each) => (each.open = true))`
    )
  }),
  "run-writing": {
    at,
    answers: aRun(
      [
        atWork({ waits_for: [{ for: "model", since: ago(12) }] }),
        below(atWork(), "security", 1, { started_at: ago(80), ended_at: ago(20), duration_ms: 6e4 })
      ],
      said([
        asks(TASK),
        answers(1, "A reviewer looks at it.", ...reviewers.slice(0, 1)),
        results(result("a", "call_agent", "Twice."))
      ]),
      {
        [`runs/${REVIEW}/writing/events`]: {
          turn: 2,
          offset: 0,
          text: MARKDOWN.slice(0, 420)
        }
      }
    ),
    until: reading("is writing")
  },
  "run-thinking": {
    at,
    answers: aRun([atWork({ turns: 0, waits_for: [{ for: "model", since: ago(12) }] })], said([asks(TASK)]), {
      [`runs/${REVIEW}/writing/events`]: {
        turn: 1,
        offset: 0,
        text: "",
        thinking: "The amount is passed on as it came. I should see where it is read, and whether a repeated request"
      }
    }),
    until: "is thinking"
  },
  "run-waits-for-approval": {
    at,
    answers: aRun(
      [waiting("edit_file")],
      said([
        asks(TASK),
        answers(
          1,
          "This line charges twice.",
          call("a", "edit_file", approval.arguments ?? {}, { approval: undecided })
        )
      ]),
      { questions: questionsOf(approval), [`runs/${REVIEW}/questions/t1c1`]: approval }
    ),
    until: "review wants to use edit_file"
  },
  "run-waits-for-an-answer": {
    at,
    answers: aRun(
      [waiting()],
      said([asks(TASK), answers(1, "", call("a", "ask_user", { question: aQuestion().question }))]),
      { questions: questionsOf(aQuestion({ question_id: "t1c1" })) }
    ),
    until: "review asks"
  },
  "run-failed": ended(
    { status: "failed", error: "the provider answered 401: the key is not valid. Set ANTHROPIC_API_KEY" },
    "the key is not valid"
  ),
  "run-timed-out": ended({ status: "timed_out", error: "it took longer than 600 s" }, "timed out"),
  "run-stopped": ended({ status: "stopped", stopped_by: "anna@example.com", way_on: "resume" }, "stopped by"),
  "run-killed": ended({ status: "stopped", killed: true, stopped_by: "the API", way_on: "gone" }, "killed"),
  "run-interrupted": ended({ status: "interrupted", error: "its process is gone" }, "interrupted"),
  "run-over-budget": ended(
    { status: "budget_exceeded", error: "its budget of 200,000 tokens is spent" },
    "budget exceeded"
  ),
  "run-idle": ended({ status: "idle" }, "idle"),
  "run-cut-answer": ended({ incomplete: "max_tokens" }, "cut at its limit"),
  "run-changed-arguments": {
    at,
    answers: aRun(
      [anOverview("review")],
      said([
        asks(TASK),
        answers(
          1,
          "The old file is not needed any more.",
          call(
            "a",
            "run_command",
            { command: "rm -rf build", timeout: 60 },
            {
              approval: {
                ...undecided,
                tool: "run_command",
                decision: "approve",
                by: "anna@example.com",
                arguments: { command: "rm build/payments.js", timeout: 60, dry_run: true },
                ended_at: ago(300)
              }
            }
          ),
          call(
            "b",
            "run_command",
            { command: "git push --force" },
            {
              approval: {
                ...undecided,
                call: "t1c2",
                tool: "run_command",
                decision: "deny",
                reason: "never with force",
                ended_at: ago(290)
              }
            }
          )
        ),
        results(
          result("a", "run_command", ""),
          result("b", "run_command", "Error: denied: never with force", {
            is_error: true,
            failure: "permission_denied"
          })
        ),
        answers(2, "The file is gone; nothing was pushed.")
      ])
    ),
    until: "nothing was pushed",
    act: (page) => page.getByText("rm -rf build").first().click()
  },
  "run-of-1000-agents": {
    at,
    answers: aRun(crowd(), said([asks(TASK), answers(1, "All of them work.")])),
    until: reading("All of them work."),
    isInSight: true
  },
  "run-long-texts": {
    at,
    answers: aRun(
      [anOverview("review", { task: "Write down each step. ".repeat(40).trim() })],
      said([
        asks("Write down each step. ".repeat(200)),
        answers(1, LONG, call("a", "read_file", { path: `${"very/long/folder/".repeat(12)}name.ts` })),
        results(result("a", "read_file", `${"0123456789 ".repeat(40)}
`.repeat(80))),
        answers(2, LONG)
      ])
    ),
    until: reading("Step 1"),
    height: 1200
  },
  "run-hostile-texts": {
    at,
    answers: aRun(
      nested,
      said([
        asks(HOSTILE),
        answers(1, HOSTILE, call("a", "run_command", { command: HOSTILE })),
        results(result("a", "run_command", HOSTILE)),
        answers(2, LONG_WORD.slice(0, 2e4), call("b", "read_file", { path: LONG_WORD })),
        results(result("b", "read_file", LONG_WORD.slice(0, 2e4), { characters: 1e6 }))
      ])
    ),
    until: reading("alert(1)"),
    height: 1200
  },
  "run-unpriced-fork": {
    at,
    answers: aRun(
      [
        anOverview("review", {
          usd: null,
          forked_from: { root: "review-19ce1f3a2b7c40", run_id: "review-19ce1f3a2b7c40", turn: 2 },
          tags: { ticket: "PAY-114", team: "checkout" }
        })
      ],
      said([asks(TASK), answers(1, "Forked and free.")])
    ),
    until: "Forked and free."
  },
  "run-no-such-agent": review2({
    at: `${at}/agents/nobody-19ce1f3a2b7c41`,
    until: reading("There is no agent")
  }),
  "run-not-found": {
    at: "#/runs/review-19ce1f3a2b7c49",
    answers: aPlace({
      "runs/review-19ce1f3a2b7c49/tree": { status: 404, detail: "there is no run review-19ce1f3a2b7c49" }
    }),
    until: "there is no run"
  },
  "run-loading": review2({
    answers: aPlace({ [`runs/${REVIEW}/tree`]: "never" }),
    until: (page) => page.locator(".run").waitFor()
  }),
  "run-conversation-loading": review2({
    answers: aRun(aReview(), reviewed, { [`runs/${REVIEW}/messages`]: "never" }),
    until: reading("Reading\u2026")
  }),
  "run-offline": {
    at,
    answers: aRun([atWork()], said([asks(TASK), answers(1, "The first turn is there.")]), {
      [`runs/${REVIEW}/tree/events`]: "lost"
    }),
    until: "The server does not answer."
  }
};

// test/doors/console/pictures/scenes/dialogs.ts
var [top] = aReview();
var at2 = `#/runs/${top.run_id}`;
var press = (...names2) => async (page) => {
  for (const name of names2) await page.getByRole("button", { name }).first().click();
};
function over(status, ...names2) {
  const runs3 = aReview(status);
  return {
    at: at2,
    answers: aRun(runs3, reviewed),
    until: reading("One finding"),
    isInSight: true,
    act: press(...names2)
  };
}
var OPEN3 = { status: "running", ended_at: null, duration_ms: null };
var approval2 = aQuestion({
  question_id: "t1c1",
  question: "May it call create_refund?",
  choices: ["approve", "deny", "always"],
  tool: "create_refund",
  arguments: {
    order: "A-2201",
    amount: 12.5,
    reason: "twice charged",
    notify: true,
    lines: [{ sku: "X1", count: 2 }]
  }
});
var PARAMETERS = {
  type: "object",
  required: ["order", "amount", "reason"],
  properties: {
    order: { type: "string", description: "As it stands on the receipt" },
    amount: { type: "number", minimum: 0, description: "In euros" },
    reason: { type: "string", enum: ["twice charged", "returned", "goodwill"] },
    notify: { type: "boolean", description: "Whether the customer is told" },
    lines: {
      type: "array",
      items: { type: "object", properties: { sku: { type: "string" }, count: { type: "integer" } } }
    }
  }
};
var asking = (more, ...names2) => ({
  at: at2,
  answers: aRun(
    [anOverview("review", OPEN3)],
    said([asks("Refund it"), answers(1, "This order was charged twice.")]),
    {
      questions: questionsOf(approval2),
      [`runs/${top.run_id}/questions/t1c1`]: { ...approval2, parameters: PARAMETERS }
    }
  ),
  until: "review wants to use create_refund",
  act: press(...names2),
  ...more
});
var DIALOGS = {
  "dialog-arguments": asking({}, "Change arguments\u2026"),
  "dialog-arguments-as-json": asking(
    {
      answers: {
        ...asking({}).answers,
        [`runs/${top.run_id}/questions/t1c1`]: {
          ...approval2,
          parameters: { type: "object", oneOf: [{}, {}] }
        }
      }
    },
    "Change arguments\u2026"
  ),
  "dialog-deny": asking({}, "Deny\u2026"),
  "dialog-stop": over(OPEN3, "Stop\u2026"),
  "dialog-kill": {
    ...over(OPEN3, "Kill\u2026"),
    at: `${at2}/agents/${aReview()[1].run_id}`,
    answers: aRun([anOverview("review", OPEN3), { ...aReview()[1], ...OPEN3 }], reviewed),
    until: reading("Look at the change")
  },
  "dialog-budget": over({}, "Budget\u2026"),
  "dialog-resume": over({ status: "failed", error: "the key is not valid" }, "Resume with another model\u2026"),
  "dialog-fork": over({}, "Fork from here\u2026")
};

// test/doors/console/pictures/scenes/frame.ts
var SIGN_IN = {
  issuer: "https://id.example.com",
  authorization_endpoint: "https://id.example.com/authorize",
  token_endpoint: "https://id.example.com/token",
  client_id: "cadre",
  scope: "openid"
};
var refused = { status: 401, detail: "a token is needed" };
var shut = { agents: refused, runs: refused, questions: refused, costs: refused };
var edit = (id, path) => aQuestion({
  question_id: id,
  question: `May it change ${path}?`,
  choices: ["approve", "deny", "always"],
  tool: "edit_file",
  arguments: { path, old_string: "amount: number", new_string: "cents: bigint" }
});
var over2 = (more) => ({
  at: "#/runs",
  answers: aPlace(),
  until: (page) => page.locator("main h1").waitFor(),
  isInSight: true,
  ...more
});
var session = (over3) => ({
  session: { "cadre-session": JSON.stringify({ token: "x", who: "anna@example.com", ...over3 }) }
});
var press2 = (name) => (page) => page.getByRole("button", { name }).first().click();
var FRAME = {
  "frame-palette": over2({ act: (page) => page.keyboard.press("Control+k") }),
  "frame-palette-found": over2({
    act: async (page) => {
      await page.keyboard.press("Control+k");
      await page.keyboard.type("rel");
    }
  }),
  "frame-palette-nothing": over2({
    act: async (page) => {
      await page.keyboard.press("Control+k");
      await page.keyboard.type("nothing like this");
    }
  }),
  "frame-keys": over2({ act: (page) => page.keyboard.press("?") }),
  "frame-questions": over2({
    answers: aPlace({
      questions: questionsOf(
        aQuestion(),
        edit("t3c1", "src/payments.ts"),
        aQuestion({
          agent: "release",
          question: HOSTILE,
          choices: [HOSTILE.slice(0, 60), "Neither"],
          question_id: "t1c1"
        })
      )
    }),
    act: press2("Questions")
  }),
  "frame-questions-alike": over2({
    answers: aPlace({
      questions: questionsOf(
        ...["pay", "refund", "card", "order"].map(
          (name, index) => edit(`t2c${index + 1}`, `src/money/${name}.ts`)
        )
      )
    }),
    act: press2("Questions")
  }),
  "frame-no-questions": over2({ act: press2("Questions") }),
  "frame-start": over2({ act: press2("Start a run"), until: "Runs" }),
  "frame-start-limits": over2({
    answers: aPlace({
      agents: {
        ...agentsOf(anAgent("review", { description: "Reviews a change from several sides" })),
        faults: [
          {
            agent: "broken",
            detail: 'agents/broken.toml:3:9: unknown tool "read_fiel"; did you mean "read_file"?'
          }
        ]
      }
    }),
    act: async (page) => {
      await press2("Start a run")(page);
      await page.getByText("Model and limits").click();
    }
  }),
  "frame-signed-in": over2({
    answers: aPlace({ "console-config.json": { environment: "production", sign_in: SIGN_IN } }),
    kept: session({ endsAt: NOW + 36e5 }),
    until: "production"
  }),
  "frame-session-ends": over2({
    answers: aPlace({ "console-config.json": { environment: "production", sign_in: SIGN_IN } }),
    kept: session({ endsAt: NOW + 12e4 }),
    until: "Your sign-in ends"
  }),
  "frame-token": over2({ answers: shut, until: "This server asks for a token" }),
  "frame-token-refused": over2({ answers: shut, kept: session({}), until: "does not accept the token" }),
  "frame-signed-out": over2({
    answers: { ...shut, "console-config.json": { sign_in: SIGN_IN } },
    kept: { session: { "cadre-signed-out": "yes" } },
    until: "You are signed out."
  }),
  "frame-nowhere": over2({ at: "#/no/such/place", until: "This address leads nowhere" })
};

// test/doors/console/pictures/scenes/home.ts
import * as v10 from "valibot";
var AGENTS2 = ["review", "security", "tests", "release", "triage", "digest", "translate", "import"];
function costsOf(agents3) {
  const rows = agents3.flatMap(
    (agent2, number6) => Array.from({ length: 14 }, (_, day) => {
      const runs3 = day * (number6 + 3) * 7 % (29 - 3 * number6);
      const failed2 = day % 5 === 0 ? Math.min(2, runs3) : 0;
      return {
        day: new Date(NOW - day * 864e5).toISOString().slice(0, 10),
        agent: agent2,
        runs: runs3,
        trees: runs3,
        succeeded: runs3 - failed2,
        failed: failed2,
        tokens: runs3 * 21e3,
        usd: runs3 * 0.0782 * (1 + number6 / 3)
      };
    })
  );
  return v10.parse(Costs, { rows, next: null });
}
function line(number6, over3 = {}) {
  const agent2 = AGENTS2[number6 % AGENTS2.length] ?? "";
  return listed(anOverview(agent2, { run_id: `${agent2}-19ce1f3a2b7c${number6 + 10}`, ...over3 }));
}
var OPEN4 = { status: "running", ended_at: null, duration_ms: null };
var open = [1, 2, 3, 4].map((number6) => line(number6, { ...OPEN4, started_at: ago(60 * number6) }));
var failed = [
  line(0, {
    status: "failed",
    error: "the provider answered 401: the key is not valid. Set ANTHROPIC_API_KEY"
  }),
  line(5, { status: "timed_out", error: "it took longer than 600 s" })
];
var agents2 = agentsOf(
  ...AGENTS2.map(
    (name, number6) => anAgent(name, {
      ...number6 === 5 && {
        schedule: {
          expression: "cron(0 6 * * ? *)",
          timezone: "Europe/Berlin",
          enabled: true,
          next: ago(-66960)
        }
      }
    })
  )
);
var approval3 = aQuestion({
  question_id: "t3c1",
  question: "May it change src/payments.ts?",
  choices: ["approve", "deny", "always"],
  tool: "edit_file",
  arguments: { path: "src/payments.ts", old_string: "amount: number", new_string: "cents: bigint" }
});
var busy = {
  agents: agents2,
  "runs?limit": listOf(...open, ...failed, ...AGENTS2.map((_, number6) => line(number6 + 8))),
  "runs?status=running": listOf(...open),
  "runs?status=failed": listOf(...failed.slice(0, 1)),
  "runs?status=timed_out": listOf(...failed.slice(1)),
  "runs?status=interrupted": listOf(),
  costs: costsOf(AGENTS2),
  questions: questionsOf(aQuestion(), approval3)
};
var failures = (reply) => Object.fromEntries(
  ["failed", "timed_out", "interrupted"].map((status) => [`runs?status=${status}`, reply])
);
var home = (answers2, until = "At work now") => ({
  at: "#/",
  answers: aPlace({ ...busy, ...answers2 }),
  until
});
var broken = { status: 500, detail: "the store cannot be read: /srv/cadre is full" };
var HOME = {
  "home-busy": home({}),
  "home-quiet": home({
    "runs?status=running": listOf(),
    ...failures(listOf()),
    questions: questionsOf(),
    costs: { rows: [], next: null }
  }),
  "home-empty": home(
    {
      runs: listOf(),
      "runs?": listOf(),
      "runs?limit": listOf(),
      agents: agentsOf(...["digest", "facts", "risks", "actions"].map((name) => anAgent(name))),
      questions: questionsOf()
    },
    "Nothing has run here yet"
  ),
  "home-loading": home({
    agents: "never",
    "runs?limit": "never",
    "runs?status=running": "never",
    ...failures("never"),
    costs: "never",
    questions: "never"
  }),
  "home-all-failing": home({
    agents: broken,
    "runs?limit": broken,
    "runs?status=running": broken,
    ...failures(broken),
    costs: broken,
    questions: broken
  }),
  "home-questions-failing": home({ questions: broken }),
  "home-costs-failing": home({ costs: broken }),
  "home-faults": home({
    agents: {
      ...agentsOf(anAgent("review")),
      faults: [
        {
          agent: "broken",
          detail: 'agents/broken.toml:3:9: unknown tool "read_fiel"; did you mean "read_file"?'
        }
      ]
    }
  }),
  "home-many-questions": home({
    questions: questionsOf(
      ...["review", "release", "triage", "digest", "import"].map(
        (agent2, number6) => aQuestion({ agent: agent2, question_id: `t${number6 + 1}c1` })
      )
    )
  }),
  "home-offline": home({
    agents: "lost",
    "runs?limit": "lost",
    "runs?status=running": "lost",
    ...failures("lost"),
    costs: "lost",
    questions: "lost"
  })
};

// test/doors/console/pictures/scenes/runs.ts
var STATES = [
  ["running", {}],
  ["succeeded", {}],
  ["failed", { error: "the provider answered 401: the key is not valid. Set ANTHROPIC_API_KEY" }],
  ["timed_out", { error: "it took longer than 600 s" }],
  ["stopped", {}],
  ["interrupted", {}],
  ["budget_exceeded", { error: "its budget of 200,000 tokens is spent" }],
  ["idle", {}],
  ["succeeded", { incomplete: "max_tokens" }],
  ["succeeded", { task: HOSTILE.replaceAll("\n", " ") }],
  ["succeeded", { task: `Look at ${"each and every ".repeat(40)}file`, usd: null }],
  ["succeeded", { task: "", tags: { ticket: "PAY-114", team: "checkout" } }]
];
var many2 = STATES.map(([status, over3], index) => {
  const isOpen = status === "running";
  const top2 = anOverview(["review", "release", "a-nightly-report-of-all-services"][index % 3] ?? "", {
    run_id: `run-19ce1f3a2b7c4${index.toString(16)}`,
    status,
    started_at: ago(70 + index * index * 900),
    ...isOpen && { ended_at: null, duration_ms: null },
    ...over3
  });
  const tree = { ...listed(top2).tree, runs: [1, 4, 212][index % 3] ?? 1 };
  return listed(top2, { tree });
});
var list = (over3) => ({
  at: "#/runs",
  answers: aPlace({ runs: { ...listOf(...many2), next: "older" } }),
  until: "its budget of 200,000 tokens is spent",
  ...over3
});
var RUNS = {
  "runs-many": list({}),
  "runs-empty": list({ answers: aPlace({ runs: listOf() }), until: "There is no run yet" }),
  "runs-loading": list({
    answers: aPlace({ runs: "never" }),
    until: (page) => page.locator("main h1").waitFor()
  }),
  "runs-none-found": list({
    at: "#/runs?agent=review&status=failed&text=no+such+words&since=7d",
    answers: aPlace({ runs: listOf() }),
    until: "There is no such run."
  }),
  "runs-found-words": list({
    at: "#/runs?text=idempotency+key&tag=team%3Dcheckout",
    answers: aPlace({
      runs: listOf(
        ...many2.slice(1, 5).map((run, index) => ({
          ...run,
          found: {
            run_id: index === 0 ? run.run_id : "security-19ce1f3a2b7c41-t1c1",
            ...index < 3 && { turn: index + 1 },
            text: "Send an idempotency key with each charge: made once, before the first attempt, and kept with the order"
          }
        }))
      )
    }),
    until: "turn 3"
  }),
  "runs-saved-filters": list({
    at: "#/runs?status=failed&since=7d",
    kept: {
      local: {
        "cadre-filters": JSON.stringify([
          { name: "Failed this week", query: "?status=failed&since=7d" },
          { name: "Checkout", query: "?tag=team%3Dcheckout" }
        ])
      }
    }
  }),
  "runs-picked": list({
    act: async (page) => {
      for (const number6 of [1, 3]) await page.getByRole("checkbox").nth(number6).click();
    }
  }),
  "runs-failing": list({
    answers: aPlace({ runs: { status: 500, detail: "the store cannot be read: /srv/cadre is full" } }),
    until: "the store cannot be read"
  }),
  "runs-offline": list({ answers: aPlace({ runs: "lost" }), until: "The server does not answer." })
};

// test/doors/console/pictures/scenes.ts
var SCENES = {
  ...HOME,
  ...RUNS,
  ...RUN,
  ...AGENTS,
  ...COMPARE,
  ...DIALOGS,
  ...FRAME
};

// test/doors/console/pictures/draw-all.ts
function pictureName(scene, { name }) {
  return `${scene}-${name}`;
}
var PICTURES = Object.keys(SCENES).flatMap((scene) => LOOKS.map((look) => pictureName(scene, look)));
async function drawAll(browser2, album2, isWanted) {
  const seen2 = { changed: [], faults: [] };
  const drawIn = async (look, number6) => {
    const stage = await openStage(browser2, look);
    for (const [index, [name, scene]] of Object.entries(SCENES).entries()) {
      if (!isWanted(index, number6)) continue;
      const picture = pictureName(name, look);
      const faults = await stage.show(scene).catch((thrown) => [String(thrown)]);
      const change = album2.isThere ? await album2.compare(picture, await stage.draw(scene)) : void 0;
      if (change !== void 0) seen2.changed.push(change);
      const found = [];
      seen2.faults.push(...[...faults, ...found].map((fault) => `${picture}: ${fault}`));
    }
    await stage.close();
  };
  await Promise.all(LOOKS.map(drawIn));
  await album2.keepOnly(PICTURES);
  return seen2;
}

// test/doors/console/pictures/zz-dev-entry.ts
var [pattern = "", looks = ""] = process.argv.slice(2);
var browser = await launchChromium();
var album = await openAlbum(browser);
var names = Object.keys(SCENES);
var started = Date.now();
var seen = await drawAll(browser, album, (scene, look) => new RegExp(pattern).test(names[scene]) && new RegExp(looks).test(LOOKS[look].name));
console.log(JSON.stringify(seen, void 0, 1).slice(0, 15e3), names.length, "scenes", Date.now() - started, "ms");
await browser.close();
