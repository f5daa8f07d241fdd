import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

/** An event of API Gateway's HTTP API (payload format 2.0) as the request that it was. */
export function toHttpRequest(event: APIGatewayProxyEventV2): Request {
  const { domainName, http } = event.requestContext;
  const query = event.rawQueryString === '' ? '' : `?${event.rawQueryString}`;
  const headers = new Headers();
  for (const [name, value] of Object.entries(event.headers)) {
    if (value !== undefined) headers.set(name, value);
  }
  // Request takes no body with these, and neither does any of our routes.
  const isBare = http.method === 'GET' || http.method === 'HEAD';
  const body = isBare ? '' : (event.body ?? '');
  return new Request(`https://${domainName}${event.rawPath}${query}`, {
    method: http.method,
    headers,
    body: body === '' ? null : Buffer.from(body, event.isBase64Encoded ? 'base64' : 'utf8'),
  });
}

/** A response as API Gateway takes it. All of ours are text. */
export async function fromHttpResponse(response: Response): Promise<APIGatewayProxyStructuredResultV2> {
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}
