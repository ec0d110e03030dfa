# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""State and parameters of a machine estimated together; nothing is differentiated. See docs/dual.md."""

# Names for the command line; here, so that naming them loads no kernel.
FORMS = {
    "joint": "state and parameters in one filter, no differentiation (offline)",
    "dual": "the same in a state and a parameter filter (offline)",
}
