export const PLANTED: Readonly<Record<string, { file: string; says: string; from: string; to: string; campaign?: string }>>;
