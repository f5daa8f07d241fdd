export const PLANTED: Readonly<
  Record<string, { file: string; says: string; isSoon?: true; from: string; to: string; campaign?: string }>
>;
