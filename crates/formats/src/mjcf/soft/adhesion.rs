//! Bodies that stick to what they touch: an actuator pulls at all contacts of its body, against their mean normal.

use super::super::mech::{Forward, Mechanism, MechanismState};
use super::super::model::Transmission;
use super::contact::SoftContact;

/// Adds the forces of adhesion at a state, whose contacts MuJoCo knows before its actuators: those of a body with contacts get their row
/// −mean ∂dist/∂q.
pub(super) fn adhere(m: &Mechanism, state: &MechanismState, contacts: &[SoftContact], f: &mut Forward) {
    let n = m.tree.dofs();
    let mut pulled = false;
    for (i, actuator) in m.actuators.iter().enumerate() {
        let Transmission::Body(body) = actuator.transmission else { continue };
        let mut row = vec![0.0; n];
        let touching = contacts.iter().filter(|c| c.bodies.contains(&body));
        let count = touching.clone().count() as f64;
        for contact in touching {
            for (link, sign) in [(contact.bodies[1], 1.0), (contact.bodies[0], -1.0)] {
                for dof in m.tree.path(link) {
                    row[dof] -= sign * contact.frame[0].dot(f.kin.axis[dof].at(contact.pos)) / count;
                }
            }
        }
        f.actuator_rows.replace(i, &row);
        f.actuator_velocity[i] = row.iter().zip(&state.qvel).map(|(j, v)| j * v).sum();
        let force = f.actuator_force[i];
        if force != 0.0 && count > 0.0 {
            pulled = true;
            for (dof, j) in row.iter().enumerate() {
                f.actuator[dof] += force * j;
                f.smooth[dof] += force * j;
            }
        }
    }
    if pulled {
        f.force.clone_from(&f.smooth);
        f.qacc_smooth.clone_from(&f.smooth);
        f.factored.solve(&mut f.qacc_smooth);
        f.qacc.clone_from(&f.qacc_smooth);
    }
}
