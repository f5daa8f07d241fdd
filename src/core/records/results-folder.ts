/** The folder of a workspace in which results are kept that are too long for a model. */
export const RESULTS_FOLDER = '.cadre-results';
