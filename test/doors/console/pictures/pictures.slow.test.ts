import { LOOKS } from './draw.ts';
import { drawingTests } from './drawing-tests.ts';

// Each scene in one look; at night all of them in all looks.
await drawingTests((scene, look) => scene % LOOKS.length === look);
