/**
 * The format of what outlives a deployment: inputs of executions, and records of runs. Executions under way keep the
 * definition and the functions that they began with, while those that they start run the newest, so that each release
 * reads what earlier ones wrote. It counts up with every change that an earlier release could not read.
 */
export const FORMAT = 1;
