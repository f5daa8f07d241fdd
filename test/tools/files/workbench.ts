import type { Workspace } from '../../../src/core/agent-schema/workspace.ts';
import { BUILT_IN_TOOLS } from '../../../src/tools/built-in.ts';
import type {
  FetchUrl,
  SeenFiles,
  ToolArguments,
  ToolContext,
  ToolOutput,
} from '../../../src/core/tool-contracts/tool.ts';
import { openFolderWorkspace } from '../../../src/places/local/workspace/folder-workspace.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

/** The calls of one run in a workspace. */
export function workIn(
  workspace: Workspace,
  {
    signal = new AbortController().signal,
    mayShow = () => true,
    ...reach
  }: { signal?: AbortSignal; mayShow?: (path: string) => boolean; fetchUrl?: FetchUrl } = {},
) {
  const versions = new Map<string, string>();
  const seen: SeenFiles = {
    version: async (path) => versions.get(path),
    note: async (path, version) => void versions.set(path, version),
  };
  const context: ToolContext = {
    workspace,
    seen,
    allowedHosts: [],
    mayShow,
    mayChange: () => Promise.resolve(true),
    refusalToFollow: () => undefined,
    owner: undefined,
    resultPath: '.cadre-results/run-t1c1.txt',
    signal,
    tell: () => {},
    ...reach,
  };
  const call = (name: string, args: ToolArguments): Promise<ToolOutput> => {
    const tool = BUILT_IN_TOOLS.get(name);
    if (tool === undefined) throw new Error(`there is no tool "${name}"`);
    return tool.run(args, context);
  };
  /** The text alone; that of an error begins with `Error: `. */
  const say = async (name: string, args: ToolArguments): Promise<string> => {
    const { text, isError = false } = await call(name, args);
    if (isError !== text.startsWith('Error: ')) throw new Error(`isError is ${isError} beside "${text}"`);
    return text;
  };
  return { call, say, versions, workspace };
}

/** The calls of one run in a new folder with these entries. */
export async function workInFolder(entries: Parameters<typeof tempFolder>[0] = {}) {
  const folder = await tempFolder(entries);
  return { ...workIn(openFolderWorkspace(folder)), folder };
}
