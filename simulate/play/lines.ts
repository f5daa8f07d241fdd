import type { ModelRequest } from '../../src/core/model/model.ts';
import type { ToolCall } from '../../src/core/records/message.ts';
import { use } from '../../test/fixtures/stage.ts';
