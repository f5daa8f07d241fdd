import type { Json } from '../../json.ts';
import { LambdaServiceError, type InvokeLambda } from '../executions/ports.ts';
import { isJsonObject, parseJson } from '../expressions/json-value.ts';

/**
 * Invokes functions over the Invoke API of Lambda at an endpoint of its own, such as a local runtime.
 * Requests are not signed.
 * @param endpoint such as `http://127.0.0.1:9104`
 */
export function lambdaEndpoint(endpoint: string): InvokeLambda {
  const base = endpoint.replace(/\/+$/, '');
  return async (functionName, payload, { signal }) => {
    const url = `${base}/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`;
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(payload), signal });
    const text = await response.text();
    const body = text === '' ? null : parse(text, url);
    if (!response.ok) throw toServiceError(response, body);
    const functionError = response.headers.get('x-amz-function-error');
    return { payload: body, ...(functionError !== null && { functionError }) };
  };
}

function parse(text: string, url: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw new Error(`${url} answered with what is no JSON: ${text.slice(0, 200)}`);
  }
}

function toServiceError({ headers, status, statusText }: Response, body: Json): LambdaServiceError {
  const exception = headers.get('x-amzn-errortype')?.split(':')[0] ?? 'ServiceException';
  const fields = isJsonObject(body) ? body : {};
  const message = fields['Message'] ?? fields['message'] ?? statusText;
  return new LambdaServiceError(exception, typeof message === 'string' ? message : statusText, {
    status,
    requestId: headers.get('x-amzn-requestid') ?? 'unknown',
  });
}
