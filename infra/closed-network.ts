import { Stack } from 'aws-cdk-lib';
import {
  GatewayVpcEndpointAwsService,
  type IVpc,
  Peer,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { AnyPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  CfnFirewallDomainList,
  CfnFirewallRuleGroup,
  CfnFirewallRuleGroupAssociation,
} from 'aws-cdk-lib/aws-route53resolver';
import type { Bucket, IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { EnvironmentSettings } from './environment-settings.ts';

/** A VPC out of which nothing leads but to one bucket, not even a question for the address of another host. */
export class ClosedNetwork extends Construct {
  /** Where functions are that run in it. */
  readonly place: Pick<EnvironmentSettings, 'vpc' | 'vpcSubnets' | 'securityGroups'>;

  constructor(scope: Construct, id: string, bucket: Bucket | IBucket) {
    super(scope, id);
    const made = new Vpc(this, 'Vpc', {
      maxAzs: 2,
      natGateways: 0,
      subnetConfiguration: [{ name: 'Closed', subnetType: SubnetType.PRIVATE_ISOLATED }],
      // What does so is a function of CDK's own, which has to be there for as long as the stack.
      restrictDefaultSecurityGroup: false,
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- CDK's classes fit its interfaces where optional properties may be undefined
    const vpc = made as IVpc;
    const endpoint = vpc.addGatewayEndpoint('Bucket', { service: GatewayVpcEndpointAwsService.S3 });
    endpoint.addToPolicy(
      new PolicyStatement({
        principals: [new AnyPrincipal()],
        actions: ['s3:DeleteObject', 's3:GetObject', 's3:ListBucket', 's3:PutObject'],
        resources: [bucket.bucketArn, bucket.arnForObjects('*')],
      }),
    );
    const group = new SecurityGroup(this, 'Group', {
      vpc,
      description: 'Commands without a network',
      allowAllOutbound: false,
    });
    group.addEgressRule(Peer.anyIpv4(), Port.tcp(443), 'To the bucket');
    this.#answerFor(vpc, bucket);
    this.place = {
      vpc,
      vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
      securityGroups: [group],
    };
  }

  /** Has the VPC's resolver know the bucket and no other host: a name could carry what a command has read. */
  #answerFor({ vpcId }: IVpc, bucket: Bucket | IBucket): void {
    const list = (id: string, domains: string[]) => new CfnFirewallDomainList(this, id, { domains }).attrId;
    const rules = new CfnFirewallRuleGroup(this, 'Names', {
      firewallRules: [
        {
          priority: 1,
          action: 'ALLOW',
          firewallDomainListId: list('Known', [
            bucket.bucketRegionalDomainName,
            `s3.${Stack.of(this).region}.${Stack.of(this).urlSuffix}`,
          ]),
        },
        {
          priority: 2,
          action: 'BLOCK',
          blockResponse: 'NXDOMAIN',
          firewallDomainListId: list('Others', ['*']),
        },
      ],
    });
    new CfnFirewallRuleGroupAssociation(this, 'NamesOfVpc', {
      firewallRuleGroupId: rules.attrId,
      vpcId,
      priority: 101,
    });
  }
}
