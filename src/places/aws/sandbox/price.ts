import { SANDBOX_DISK_MB, SANDBOX_MEMORY_MB } from './protocol.ts';

// AWS Lambda pricing, us-east-1, arm64, in billionths of a dollar; read on 2026-11-26.

const PER_REQUEST = 200;
const PER_GB_SECOND = 13_333.4;
/** Of what /tmp has above 512 MB. */
const PER_DISK_GB_SECOND = 30.9;
const FREE_DISK_MB = 512;

const PER_SECOND =
  (SANDBOX_MEMORY_MB / 1_024) * PER_GB_SECOND +
  ((SANDBOX_DISK_MB - FREE_DISK_MB) / 1_024) * PER_DISK_GB_SECOND;

/** The price of a command in an account, in billionths of a dollar. */
export function sandboxPrice(seconds: number): number {
  return Math.ceil(PER_REQUEST + seconds * PER_SECOND);
}
