// The cost of agents in the projects of an organization.

import { readOrganization, type Organization } from "../../../api/people/organizations";
import { text } from "../../../text";
import { usePlace } from "../../../ui/place";
import type { PageProps } from "../../parts/page-props";
import { PageState } from "../../parts/page-state";
import { organizationPlace } from "../../parts/people-place";
import { UsageReport } from "./usage";

export default function OrganizationUsagePage({ parameters: { org = "" } }: PageProps) {
  return (
    <PageState read={() => readOrganization(org)} keys={[org]}>
      {(organization) => <Opened organization={organization} />}
    </PageState>
  );
}

function Opened({ organization }: { organization: Organization }) {
  usePlace(organizationPlace(organization, "/usage", text.usage.title), [organization]);
  return <UsageReport of={{ kind: "organization", id: organization.id }} />;
}
