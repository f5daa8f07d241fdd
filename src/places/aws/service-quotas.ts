import * as v from 'valibot';
import { StoreError } from '../../errors.ts';
import { createSendSigned } from './cloud-requests.ts';

const Page = v.object({
  Quotas: v.array(v.object({ QuotaName: v.string(), Value: v.number() })),
  NextToken: v.nullish(v.string()),
});

/**
 * The quotas of a service that apply to the account in a Region, by name. Service Quotas leaves out quotas that are
 * only documented.
 * @param service as Service Quotas calls it: `states`, `dynamodb`
 * @throws {StoreError | StoreUnavailableError}
 */
export async function readQuotas(region: string, service: string): Promise<Map<string, number>> {
  const send = createSendSigned('servicequotas', region);
  const quotas = new Map<string, number>();
  let token: string | null | undefined;
  do {
    const body = JSON.stringify({ ServiceCode: service, ...(token && { NextToken: token }) });
    const response = await send(
      new Request(endpointIn(region), {
        method: 'POST',
        headers: {
          'content-type': 'application/x-amz-json-1.1',
          'x-amz-target': 'ServiceQuotasV20190624.ListServiceQuotas',
        },
        body,
        signal: AbortSignal.timeout(10_000),
      }),
    );
    const text = await response.text();
    const page = v.safeParse(v.pipe(v.string(), v.parseJson(), Page), text);
    if (!response.ok || !page.success) {
      throw new StoreError(`Service Quotas answered ${response.status}: ${text.slice(0, 300)}`);
    }
    for (const { QuotaName, Value } of page.output.Quotas) quotas.set(QuotaName, Value);
    token = page.output.NextToken;
  } while (token);
  return quotas;
}

/** The SDK has a separate client for each service, which one request is not worth. */
function endpointIn(region: string): string {
  const given = process.env['AWS_ENDPOINT_URL_SERVICE_QUOTAS'] ?? process.env['AWS_ENDPOINT_URL'];
  return given ?? `https://servicequotas.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`;
}
