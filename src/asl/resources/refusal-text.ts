interface Refused {
  service: 'AWSLambda' | 'AWSStepFunctions';
  status: number;
  /** The name of the error, as the service has it. */
  error: string;
  requestId: string;
}

/** The cause of a task whose request was refused, in the form that histories of Step Functions have it. */
export function refusalText(message: string, { service, status, error, requestId }: Refused): string {
  const details = `Service: ${service}; Status Code: ${status}; Error Code: ${error}; Request ID: ${requestId}; Proxy: null`;
  return `${message} (${details})`;
}
